# rows_link ROOM FILE LIBRARY ROW: say what is wrong, if anything, with how ROOM/FILE, which refers to the function
# of each row of ROOM/calls.def, links with LIBRARY: it must, and must not once ROW names a function that nobody
# wrote. Needs $out, a folder to work in, and $toolkit.
rows_link() {
    local dir=$out/rows name
    rm -rf "$dir" && mkdir -p "$dir"
    name=$(sed -E 's/^[A-Z]+\(([A-Za-z0-9_]*).*/\1/' <<<"$4")
    sed -E "s,\"(\.\./)?(cudriver|cudart)(/[a-z/]*)?\.h\",\"$PWD/$1/\1\2\3.h\"," "$1/$2" >"$dir/$2"
    cp "$1/calls.def" "$dir/"
    [ ! -d "$1/calls" ] || cp -r "$1/calls" "$dir/"
    row_links "$dir" "$2" "$3" 2>"$dir/log" || { echo "does not link as it is:"; head -n 5 "$dir/log"; }
    printf '%s\n' "$4" >>"$dir/calls.def"
    row_links "$dir" "$2" "$3" 2>"$dir/log" && echo "a row without a function links"
    grep -q "$name" "$dir/log" || { echo "the linker's message does not name $name:"; head -n 5 "$dir/log"; }
}

row_links() { # folder, file, library
    cc -std=c17 -D_GNU_SOURCE -fPIC -shared -Wl,-z,defs -I"$toolkit/include" -o "$1/rows.so" "$1/$2" "$3"
}
