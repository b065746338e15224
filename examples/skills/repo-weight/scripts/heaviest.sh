#!/bin/sh
# Lists the heaviest file contents of a git repository's whole history.
#
#   heaviest.sh [COUNT]
#
# One line each: bytes, "now" when the current commit has this content or "gone"
# when only history has it, path. Reads; changes nothing.
set -eu

count=${1:-20}
case $count in
'' | *[!0-9]* | 0)
    echo "heaviest.sh: COUNT is a whole number above 0, not '$count'" >&2
    exit 2
    ;;
esac
if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "heaviest.sh: $(pwd) is in no git repository; change into one first" >&2
    exit 1
fi
if ! git rev-parse --verify --quiet HEAD >/dev/null; then
    echo "heaviest.sh: this repository has no commit yet, so nothing weighs anything" >&2
    exit 1
fi
if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    echo "heaviest.sh: this clone is shallow; older history is not counted" >&2
fi

now=$(mktemp)
trap 'rm -f "$now"' EXIT
git ls-tree -r --full-tree HEAD | awk '$2 == "blob" { print $3 }' >"$now"

git rev-list --objects --all |
    git cat-file --batch-check='%(objecttype) %(objectname) %(objectsize) %(rest)' |
    awk -v now="$now" '
        BEGIN { while ((getline id < now) > 0) current[id] = 1 }
        $1 == "blob" {
            size = $3
            state = ($2 in current) ? "now" : "gone"
            sub(/^[^ ]+ [^ ]+ [^ ]+ /, "") # by hand, since fields would lose double blanks
            print size, state, $0
        }' |
    sort -rn |
    sed "${count}q"

git count-objects -vH | awk -F': ' '$1 == "size-pack" { print "packed store: " $2 }'
