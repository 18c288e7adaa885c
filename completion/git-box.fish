# fish completion for git-box and `git box`.
# The program itself knows what can follow: see `git-box --complete WORD...`.

function __git_box_answer
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    # Drop the program, and what stands between `git` and `box`.
    set -e words[1]
    if set -l at (contains -i -- box $words)
        test (commandline -opc)[1] = git; and set -e words[1..$at]
    end
    for line in (git box --complete $words "$last" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path $last
            case ':command'
                __fish_complete_command
                __fish_complete_path $last
            case '*'
                echo $line
        end
    end
end

function __git_box_is_verb
    contains -- box (commandline -opc)
end

complete -c git-box -f -a '(__git_box_answer)'
complete -c git -n __git_box_is_verb -f -a '(__git_box_answer)'
