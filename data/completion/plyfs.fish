# Completion for fish. The command itself proposes what may follow: plyfs __complete WORD...

function __plyfs_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    # LAYER:LAYER and --config=FILE: names are completed behind the last separator.
    set -l head (string match -r '^.*[:=]' -- "$last")
    set -l rest (string replace -r '^.*[:=]' '' -- "$last")

    for line in (command $words[1] __complete $words[2..-1] "$last" 2>/dev/null)
        switch $line
            case ':files'
                for name in (__fish_complete_path "$rest")
                    echo "$head$name"
                end
            case ':directories'
                for name in (__fish_complete_directories "$rest")
                    echo "$head$name"
                end
            case '*'
                echo $line
        end
    end
end

complete -c plyfs -f -a '(__plyfs_complete)'
