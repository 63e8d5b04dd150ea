# SPDX-License-Identifier: BSD-2-Clause
#
# zsh -f complete.zsh DIRECTORY TEXT: prints what an interactive zsh, in a pseudo-terminal, offers for TAB after the
# text, each in angle brackets.  DIRECTORY has the function _cprng.
zmodload zsh/zpty
zpty shell 'PS1= zsh -f -i'
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u"
# Every match is added by this builtin; with these options it only looks for matches.
zpty -w shell 'compadd () {
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		typeset -a hits
		builtin compadd -A hits "$@"
		for one in $hits; do print -r -- "<$one>"; done
	fi
	builtin compadd "$@"
}'
zpty -w shell 'offer () { zle complete-word; print THE""END }; zle -N offer; bindkey "^I" offer'
# Not as it is typed, which the terminal repeats.
zpty -w shell 'print REA""DY'
zpty -r shell seen '*READY*'
zpty -n -w shell "$2"$'\t'
while zpty -r shell piece; do
	print -r -- "$piece"
	[[ $piece == *THEEND* ]] && break
done
zpty -d shell
