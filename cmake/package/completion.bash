# Completion of the taut command for bash.
_taut() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="run check assemble view render info bench --help --version"
    else
        case $previous in
        --backend) words="auto cpu cuda" ;;
        --quality) words="preview final" ;;
        --export) words="obj ply usda pc2" ;;
        --frames | --budget-ms | --threads | --checkpoint | --max-memory | --max-seconds | --every | --samples | --size | --camera | --target | --range | --floor | --backdrop) return ;;
        --framing) words="motion first follow" ;;
        --colour) words="object strain speed violation multiplier residual" ;;
        --out | --stats | --trace | --checkpoint-file | --resume | --compare | --script) compopt -o default && return ;;
        *)
            case ${COMP_WORDS[1]}:$current in
            run:-*) words="--frames --quality --budget-ms --backend --threads --out --export --stats --contact-forces --trace --checkpoint --checkpoint-file --resume --strict --max-memory --max-seconds --confined --allow-outside --json --help" ;;
            assemble:-*) words="--frames --backend --threads --out --max-memory --max-seconds --confined --allow-outside --help" ;;
            check:-*) words="--max-memory --max-seconds --confined --allow-outside --json --help" ;;
            view:-*) words="--script --size --camera --target --colour --range --contacts --floor --backdrop --backend --threads --max-memory --max-seconds --confined --allow-outside --help" ;;
            render:-*) words="--frames --every --out --framing --samples --compare --size --camera --target --colour --range --contacts --floor --backdrop --backend --threads --max-memory --max-seconds --confined --allow-outside --help" ;;
            info:-*) words="--json --help" ;;
            *) compopt -o default && return ;;
            esac
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _taut taut
