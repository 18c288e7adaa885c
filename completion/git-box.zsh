#compdef git-box
#description confined work trees for coding agents

# zsh completion for git-box and, through zsh's own _git, for `git box`.
# The program itself knows what can follow: see `git-box --complete WORD...`.

_git-box () {
	local line word
	local -a found

	for line in "${(@f)$(git box --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
		case $line in
		:files)
			_files
			;;
		:command)
			_command_names -e
			_files
			;;
		?*)
			word=${line%%$'\t'*}
			if [[ $line == *$'\t'* ]]; then
				found+=("${word//:/\\:}:${line#*$'\t'}")
			else
				found+=("${word//:/\\:}")
			fi
			;;
		esac
	done
	(( $#found )) && _describe -V 'git box' found
}

_git-box "$@"
