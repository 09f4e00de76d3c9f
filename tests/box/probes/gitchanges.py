"""gitchanges - a script of what people do with git, by a seed.

usage: gitchanges SEED COUNT NOW

Names are picked by number of what there is, and the times are given, so that it does the same wherever
it runs: in a box and on the host. Left out is what is meant to stay in a box (settings, hooks, replaced
objects, flags that keep git from looking at a file, a rebase or a bisect in the midst, shortened logs).
"""
import random
import sys

NAMES = ["a", "b", "dir/c", "dir/sub/d", "x y", "\u00e4", "-dash", "tab\t", 'q"q', ".hid", "Makefile", "e" * 200]
BRANCHES = ["main", "side", "feat/x", "feat/y", "rel", "Side2", "feat/deep/z"]
TAGS = ["v1", "v2", "ann/1"]
HELPERS = r"""
export GIT_AUTHOR_NAME=box GIT_AUTHOR_EMAIL=b@x GIT_COMMITTER_NAME=box GIT_COMMITTER_EMAIL=b@x GIT_EDITOR=true LC_ALL=C
pick() {
	n=$1; shift
	c=$(git for-each-ref "$@" | wc -l)
	[ "$c" -gt 0 ] || { echo HEAD; return; }
	git for-each-ref --format='%(refname:strip=2)' "$@" | sed -n "$((n % c + 1))p"
}
picked_file() {
	c=$(git ls-files | wc -l)
	[ "$c" -gt 0 ] || { echo a; return; }
	git ls-files -z | tr '\n\0' '?\n' | sed -n "$(($1 % c + 1))p"
}
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


class Commands:
    def __init__(self, rnd):
        self.rnd = rnd

    def one(self, *of):
        return self.rnd.choice(of)

    def branch(self):
        return f'"$(pick {self.rnd.randrange(1000)} refs/heads)"'

    def ref(self):
        return f'"$(pick {self.rnd.randrange(1000)} refs/heads refs/tags)"'

    def tracked(self):
        return f'"$(picked_file {self.rnd.randrange(1000)})"'

    def write(self):
        name = self.one(*NAMES)
        parent = name.rpartition("/")[0] or "."
        return (f"mkdir -p {quoted('./' + parent)} && echo {self.rnd.randrange(10**6)} "
                f"{self.one('>', '>>')}{quoted('./' + name)}")

    def all(self):
        """How often, and what."""
        one, branch, ref, tracked = self.one, self.branch, self.ref, self.tracked
        number = self.rnd.randrange
        return [
            (8, self.write),
            (8, lambda: f"{self.write()} && git add -A && git commit -qm c{number(999)}"),
            (3, lambda: f"git commit -qam all{number(99)}"),
            (3, lambda: "git add -A"),
            (2, lambda: f"git commit -q --amend -m am{number(99)}"),
            (1, lambda: "git commit -q --allow-empty -m empty"),
            (4, lambda: f"git checkout -q -b {one(*BRANCHES)}"),
            (3, lambda: f"git checkout -q {branch()}"),
            (1, lambda: f"git checkout -q --detach {ref()}"),
            (1, lambda: f"git checkout -q {ref()} -- ."),
            (1, lambda: f"git switch -q --orphan orphan{number(3)}"),
            (2, lambda: f"git branch {one(*BRANCHES)} {ref()}"),
            (2, lambda: f"git branch -D {branch()}"),
            (2, lambda: f"git branch -M {branch()} {one(*BRANCHES)}"),
            (1, lambda: f"git branch -f {branch()} {ref()}"),
            (2, lambda: f"git tag {one(*TAGS)} {ref()}"),
            (1, lambda: f"git tag -f -a -m m {one(*TAGS)} {ref()}"),
            (1, lambda: f"git tag -d {one(*TAGS)}"),
            (3, lambda: f"git merge -q --no-edit {ref()}"),
            (1, lambda: f"git merge -q --squash {ref()}"),
            (1, lambda: "git merge --abort"),
            (2, lambda: f"git rebase -q {ref()} || git rebase --abort"),
            (2, lambda: f"git cherry-pick {ref()}"),
            (1, lambda: "git cherry-pick --abort"),
            (1, lambda: "git revert --no-edit HEAD"),
            (2, lambda: f"git reset -q --{one('hard', 'soft', 'mixed')} {one('HEAD', 'HEAD~1', ref())}"),
            (4, lambda: f"git stash -q {one('', '-u', '-k')}"),
            (1, lambda: "git stash pop -q"),
            (1, lambda: "git stash drop -q"),
            (2, lambda: "git stash drop -q 'stash@{1}'"),
            (1, lambda: "git stash clear"),
            (1, lambda: f"git rm -qf {tracked()}"),
            (1, lambda: f"git rm -q --cached {tracked()}"),
            (1, lambda: f"git mv -f {tracked()} {quoted(one(*NAMES))}"),
            (1, lambda: f"git update-index --chmod={one('+x', '-x')} {tracked()}"),
            (1, lambda: f"chmod +x -- {tracked()}"),
            (1, lambda: f"rm -f -- {tracked()}; ln -s a {quoted('./' + one(*NAMES))}"),
            (1, lambda: "git add -N ."),
            (1, lambda: "git read-tree --empty"),
            (1, lambda: "git clean -qfd"),
            (1, lambda: f"git gc -q {one('', '--prune=now')}"),
            (1, lambda: "git repack -adq"),
            (1, lambda: "git pack-refs --all"),
            (1, lambda: "git prune"),
            (1, lambda: "git commit-graph write"),
            (1, lambda: f"git notes add -f -m n{number(9)} {ref()}"),
            (1, lambda: f"git update-ref refs/custom/{one('p', 'q/r')} HEAD"),
        ]


def main(seed, count, now):
    rnd = random.Random(seed)
    often = [what for how_often, what in Commands(rnd).all() for _ in range(how_often)]
    print(HELPERS)
    for i in range(count):
        line = rnd.choice(often)()
        print(f"export GIT_AUTHOR_DATE='{now + i} +0000' GIT_COMMITTER_DATE='{now + i} +0000'")
        print(f"{{ {line}; }} >/dev/null 2>&1 </dev/null; echo $? {quoted(line)}")


sys.stdout.reconfigure(encoding="utf-8")
main(*(int(word) for word in sys.argv[1:]))
