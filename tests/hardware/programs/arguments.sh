# shellcheck shell=bash
# What nvcc is given for the program NAME of tests/hardware/programs besides tests/hardware/programs/flags:
# SUBJECT/NAME.cu with the flags of its first line ("// flags: ..."), or all files of the folder
# SUBJECT/NAME, linked. No two programs have the same name.
# program_target NAME FLAG: FLAG, -arch=..., unless the first line says for what it is compiled.
# program_names: all that there are. program_place NAME: its path without .cu. program_sources NAME:
# its files and the headers, to compare times.
program_names() {
    local s
    for s in "$1"/tests/hardware/programs/*/*.cu "$1"/tests/hardware/programs/*/*/main.cu; do
        s=${s%/main.cu}
        basename "$s" .cu
    done | sort
}

program_place() { # root name
    local s
    for s in "$1"/tests/hardware/programs/*/"$2" "$1"/tests/hardware/programs/*/"$2.cu"; do
        [ ! -e "$s" ] || echo "${s%.cu}"
    done
}

program_sources() { # root name
    local place
    place=$(program_place "$1" "$2")
    if [ -d "$place" ]; then
        ls "$place"/*
    else
        ls "$place.cu" "${place%/*}"/*.h 2>/dev/null
    fi
}

program_arguments() { # root name
    local place
    place=$(program_place "$1" "$2")
    if [ -d "$place" ]; then
        echo -rdc=true "$place"/*.cu
    else
        echo "$(sed -n '1s,^// flags: ,,p' "$place.cu")" "$place.cu"
    fi
}

program_target() { # root name flag
    if ! sed -n '1s,^// flags: .*-gencode,&,p' "$(program_place "$1" "$2").cu" 2>/dev/null | grep -q .; then
        echo "$3"
    fi
}
