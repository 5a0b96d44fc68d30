#!/bin/sh
# A nightly campaign, for cron and systemd: a new one or, if a reboot, a kill or a
# power failure interrupted the last one, the rest of it.
#
#   nightly.sh            resume an interrupted campaign, or else start a new one
#   nightly.sh --resume   resume an interrupted campaign, or else do nothing
#
# To install, put it anywhere and call it from cron (see crontab) or systemd (see
# ordeal-nightly.service). What it uses comes from the environment:
#
#   ORDEAL     the ordeal command                default ordeal
#   CAMPAIGN   the campaign file                 default nightly.yaml
#   NIGHTS     the folder of the campaigns       default $HOME/ordeal-nights
#
# Each campaign has a directory $NIGHTS/DATE, with DATE.log, DATE.html and DATE.xml
# (JUnit) beside it. $NIGHTS/current is the campaign that runs, $NIGHTS/last the
# last that ended. The seed is the date, so that every campaign has other programs.
# Old campaigns are not deleted.
#
# The exit status equals that of ordeal campaign run. Findings are printed, with the
# differences from the campaign before; cron sends them by mail.
set -u
ORDEAL=${ORDEAL:-ordeal}
CAMPAIGN=${CAMPAIGN:-nightly.yaml}
NIGHTS=${NIGHTS:-$HOME/ordeal-nights}

resume_only=
case "${1-}" in
--resume) resume_only=yes ;;
'') ;;
*)
	echo "nightly.sh: $1: want nothing, or --resume" >&2
	exit 2
	;;
esac

mkdir -p "$NIGHTS" || exit 4

# Only one at a time. The lock ends with the processes that hold it; ordeal holds
# it, too, and may outlive this shell.
exec 9>"$NIGHTS/.lock"
if ! flock -n 9; then
	echo "nightly.sh: a campaign is running in $NIGHTS already" >&2
	exit 0
fi

# campaign.json is written before the first run.
if [ -e "$NIGHTS/current/campaign.json" ]; then
	night=$NIGHTS/$(readlink "$NIGHTS/current")
	set -- resume "$night"
elif [ -n "$resume_only" ]; then
	exit 0
else
	name=$(date +%Y-%m-%d-%H%M%S)
	night=$NIGHTS/$name
	ln -sfn "$name" "$NIGHTS/current" || exit 4
	set -- run --set "seed=$(date +%Y%m%d)" --dir "$night" "$CAMPAIGN"
fi

"$ORDEAL" campaign "$@" --progress plain --html "$night.html" --junit "$night.xml" >>"$night.log" 2>&1
status=$?

# Interrupted or killed: the next call resumes it.
if [ $status -ge 128 ] || grep -q '"interrupted": true' "$night/summary.json" 2>/dev/null; then
	exit $status
fi
if [ $status -ne 0 ]; then
	cat "$night/summary.txt" 2>/dev/null || cat "$night.log"
	if [ -e "$NIGHTS/last/campaign.json" ]; then
		echo
		"$ORDEAL" campaign diff "$NIGHTS/last" "$night"
	fi
fi
rm -f "$NIGHTS/current"
if [ -e "$night/campaign.json" ]; then
	ln -sfn "$(basename "$night")" "$NIGHTS/last"
fi
exit $status
