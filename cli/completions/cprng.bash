# SPDX-License-Identifier: BSD-2-Clause
# Made by `cprng completion bash`.

_cprng() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' files='' program='' i
	# --engine=NAME is three words.
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* ]]; then
			command=${COMP_WORDS[i]}
			break
		fi
	done
	case $command:$prev in
	bytes:-o | bytes:--output) files=1 ;;
	bytes:--offset) words='' ;;
	bytes:-w | bytes:--wrap) words='' ;;
	bytes:--engine) words='chacha20 chacha12 chacha8 salsa20 salsa20-12 salsa20-8 aes256-ctr aes128-ctr' ;;
	bytes:--key) words='' ;;
	bytes:--key-file) files=1 ;;
	bytes:--nonce) words='' ;;
	bytes:*) words='--hex --base32 --base64 --base64url --output --offset --yes --progress --wrap --strong --engine --key --key-file --nonce --force --help' ;;
	hex:-n | hex:--count) words='' ;;
	hex:-o | hex:--output) files=1 ;;
	hex:-w | hex:--wrap) words='' ;;
	hex:*) words='--count --output --yes --progress --wrap --strong --help' ;;
	base64:-n | base64:--count) words='' ;;
	base64:-o | base64:--output) files=1 ;;
	base64:-w | base64:--wrap) words='' ;;
	base64:*) words='--count --output --yes --progress --wrap --strong --help' ;;
	base64url:-n | base64url:--count) words='' ;;
	base64url:-o | base64url:--output) files=1 ;;
	base64url:-w | base64url:--wrap) words='' ;;
	base64url:*) words='--count --output --yes --progress --wrap --strong --help' ;;
	base32:-n | base32:--count) words='' ;;
	base32:-o | base32:--output) files=1 ;;
	base32:-w | base32:--wrap) words='' ;;
	base32:*) words='--count --output --yes --progress --wrap --strong --help' ;;
	u8:-n | u8:--count) words='' ;;
	u8:--seed) words='' ;;
	u8:--stream) words='' ;;
	u8:--below) words='' ;;
	u8:*) words='--count --json --seed --stream --below --help' ;;
	u16:-n | u16:--count) words='' ;;
	u16:--seed) words='' ;;
	u16:--stream) words='' ;;
	u16:--below) words='' ;;
	u16:*) words='--count --json --seed --stream --below --help' ;;
	u32:-n | u32:--count) words='' ;;
	u32:--seed) words='' ;;
	u32:--stream) words='' ;;
	u32:--below) words='' ;;
	u32:*) words='--count --json --seed --stream --below --help' ;;
	u64:-n | u64:--count) words='' ;;
	u64:--seed) words='' ;;
	u64:--stream) words='' ;;
	u64:--below) words='' ;;
	u64:*) words='--count --json --seed --stream --below --help' ;;
	int:-n | int:--count) words='' ;;
	int:--seed) words='' ;;
	int:--stream) words='' ;;
	int:*) words='--count --json --seed --stream --help' ;;
	float:-n | float:--count) words='' ;;
	float:--seed) words='' ;;
	float:--stream) words='' ;;
	float:*) words='--count --json --seed --stream --help' ;;
	normal:-n | normal:--count) words='' ;;
	normal:--seed) words='' ;;
	normal:--stream) words='' ;;
	normal:--mean) words='' ;;
	normal:--deviation) words='' ;;
	normal:*) words='--count --json --seed --stream --mean --deviation --help' ;;
	exponential:-n | exponential:--count) words='' ;;
	exponential:--seed) words='' ;;
	exponential:--stream) words='' ;;
	exponential:--mean) words='' ;;
	exponential:*) words='--count --json --seed --stream --mean --help' ;;
	dice:-n | dice:--count) words='' ;;
	dice:--seed) words='' ;;
	dice:--stream) words='' ;;
	dice:*) words='--count --json --seed --stream --verbose --help' ;;
	uuid:-n | uuid:--count) words='' ;;
	uuid:*) words='-4 -7 --count --json --help 4 7' ;;
	password:-l | password:--length) words='' ;;
	password:--alphabet) words='alnum alpha lower upper digits hex graph clear safe' ;;
	password:--characters) words='' ;;
	password:--bits) words='' ;;
	password:-n | password:--count) words='' ;;
	password:*) words='--length --alphabet --characters --each --bits --count --verbose --json --help' ;;
	phrase:--separator) words='' ;;
	phrase:--list) files=1 ;;
	phrase:--bits) words='' ;;
	phrase:-n | phrase:--count) words='' ;;
	phrase:*) words='--separator --capitals --list --bits --count --verbose --json --help' ;;
	shuffle:-i | shuffle:--input-range) words='' ;;
	shuffle:-o | shuffle:--output) files=1 ;;
	shuffle:-n | shuffle:--count) words='' ;;
	shuffle:--memory) words='' ;;
	shuffle:--directory) files=1 ;;
	shuffle:--seed) words='' ;;
	shuffle:--stream) words='' ;;
	shuffle:*) words='--echo --input-range --repeat --zero --output --json --count --memory --directory --seed --stream --help' files=1 ;;
	pick:-i | pick:--input-range) words='' ;;
	pick:-o | pick:--output) files=1 ;;
	pick:-n | pick:--count) words='' ;;
	pick:--seed) words='' ;;
	pick:--stream) words='' ;;
	pick:*) words='--echo --input-range --repeat --zero --output --json --count --seed --stream --help' files=1 ;;
	stream:--engine) words='chacha20 chacha12 chacha8 salsa20 salsa20-12 salsa20-8 aes256-ctr aes128-ctr' ;;
	stream:--key) words='' ;;
	stream:--key-file) files=1 ;;
	stream:--nonce) words='' ;;
	stream:--seed) words='' ;;
	stream:--stream) words='' ;;
	stream:--offset) words='' ;;
	stream:*) words='--engine --key --key-file --nonce --seed --stream --offset --progress --force --help' ;;
	verify:--engine) words='chacha20 chacha12 chacha8 salsa20 salsa20-12 salsa20-8 aes256-ctr aes128-ctr' ;;
	verify:--key) words='' ;;
	verify:--key-file) files=1 ;;
	verify:--nonce) words='' ;;
	verify:--offset) words='' ;;
	verify:--size) words='' ;;
	verify:*) words='--engine --key --key-file --nonce --offset --size --progress --json --help' files=1 ;;
	seed-file:*) words='--no-kernel --help' files=1 ;;
	invalidate:--file) files=1 ;;
	invalidate:*) words='--file --help' ;;
	info:*) words='--json --help' ;;
	selftest:*) words='--json --help' ;;
	bench:--seconds) words='' ;;
	bench:*) words='--seconds --json --help' ;;
	run:*) words='--devices --report --help' program=1 ;;
	completion:*) words='--help bash zsh fish' ;;
	help:*) words='--help bytes hex base64 base64url base32 u8 u16 u32 u64 int float normal exponential dice uuid password phrase shuffle pick stream verify seed-file invalidate info selftest bench run completion help' ;;
	version:*) words='--help' ;;
	:*) words='bytes hex base64 base64url base32 u8 u16 u32 u64 int float normal exponential dice uuid password phrase shuffle pick stream verify seed-file invalidate info selftest bench run completion help version --help --version' ;;
	esac
	# The program begins at the first word that is no option; its arguments are completed as without cprng.
	if [[ -n $program ]]; then
		for ((i++; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} == -* ]] || break
		done
		if ((i < COMP_CWORD)); then
			for program in _comp_command_offset _command_offset; do
				if declare -F $program >/dev/null; then
					$program "$i"
					return
				fi
			done
			words='' files=1
		elif [[ $cur != -* ]]; then
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			return
		fi
	fi
	if [[ -n $files ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur"; [[ $cur == -* ]] && compgen -W "$words" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}
complete -F _cprng cprng
