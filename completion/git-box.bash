# bash completion for git-box and, through git's own completion, for `git box`.
# The program itself knows what can follow: see `git-box --complete WORD...`.
# shellcheck shell=bash disable=SC2154 # cur, words, cword come from the caller

# __git_box_answer INDEX PROGRAM...: fills COMPREPLY for the words after words[INDEX].
__git_box_answer ()
{
	local line lead= index=$1
	local -a found
	shift
	COMPREPLY=()
	# The shell replaces only what stands after the last "=".
	if [[ $cur == --*=* && $COMP_WORDBREAKS == *=* ]]; then
		lead=${cur%%=*}=
	fi
	while IFS= read -r line; do
		case $line in
		:files)
			compopt -o filenames
			mapfile -t found < <(compgen -f -- "${cur#"$lead"}")
			;;
		:command)
			compopt -o filenames
			mapfile -t found < <(compgen -c -- "$cur"; compgen -f -- "$cur")
			;;
		*)
			line=${line%%$'\t'*}
			found=("${line#"$lead"}")
			;;
		esac
		COMPREPLY+=("${found[@]}")
	done < <("$@" --complete "${words[@]:index+1:cword-index}" 2>/dev/null)
}

# Called by git's completion; it has set cur, words, cword and, since 2.31, the index of the command.
_git_box ()
{
	local index=${__git_cmd_idx:-1}

	__git_box_answer "$index" __git box
}

__git_box_main ()
{
	local cur words cword prev

	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n =: cur prev words cword
	else
		words=("${COMP_WORDS[@]}")
		cword=$COMP_CWORD
		cur=${words[cword]}
	fi
	__git_box_answer 0 git-box
}

complete -F __git_box_main git-box
