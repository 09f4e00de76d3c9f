# The shell for a person: bash, or sh where the image has none, as a login shell. A login
# shell reads /etc/profile, and that of Debian sets a PATH: where the environment has more
# (that of the image, say), a login shell reads the profiles, puts in front what was lost,
# and becomes the shell. Its own names are none that an environment has: who is exported
# would be changed for the shell.
cubby_shell='sh'
command -v bash >/dev/null 2>&1 && cubby_shell='bash'
set -f
IFS=:
cubby_own=
for cubby_dir in $PATH; do
	case $cubby_dir in
	'' | /usr/local/sbin | /usr/local/bin | /usr/sbin | /usr/bin | /sbin | /bin) ;;
	*) cubby_own=${cubby_own:+$cubby_own:}$cubby_dir ;;
	esac
done
[ "$cubby_own" ] || exec $cubby_shell -l
# shellcheck disable=SC2016 # they are of the shell that has read the profiles
exec $cubby_shell -lc '
	set -f
	IFS=:
	cubby_lost=
	for cubby_dir in $1; do
		case :$PATH: in
		*:"$cubby_dir":*) ;;
		*) cubby_lost=$cubby_lost$cubby_dir: ;;
		esac
	done
	PATH=$cubby_lost$PATH exec "$0"
' $cubby_shell "$cubby_own"
