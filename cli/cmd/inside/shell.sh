# The shell for a person: bash, or sh where the image has none, as a login shell. A login
# shell reads /etc/profile, and that of Debian sets a PATH: where the environment has more
# (that of the image, say), a login shell reads the profiles, puts in front what was lost,
# and becomes the shell.
shell='sh'
command -v bash >/dev/null 2>&1 && shell='bash'
set -f
IFS=:
own=
for dir in $PATH; do
	case $dir in
	'' | /usr/local/sbin | /usr/local/bin | /usr/sbin | /usr/bin | /sbin | /bin) ;;
	*) own=${own:+$own:}$dir ;;
	esac
done
[ "$own" ] || exec $shell -l
# shellcheck disable=SC2016 # they are of the shell that has read the profiles
exec $shell -lc '
	set -f
	IFS=:
	lost=
	for dir in $1; do
		case :$PATH: in
		*:"$dir":*) ;;
		*) lost=$lost$dir: ;;
		esac
	done
	PATH=$lost$PATH exec "$0"
' $shell "$own"
