# Mail::SPF with corrections: small edits of its source that make it follow RFC 7208.
#
# Each edit is behind main::on('<name>'), so a case can turn on any set of corrections. The names are
# those in evaluator-deviations.ts, which also quotes the RFC. An edit that no longer fits the source
# is an error, so a new version of Mail::SPF does not go unnoticed.
use strict;
use warnings;

my @EDITS = (
    # mx-limit, null-mx, mx-all-hosts
    ['Mech/MX', <<'OLD', <<'NEW'],
    # Respect the MX mechanism lookups limit (RFC 4408, 5.4/3/4):
OLD
    my $is_match = FALSE;
    if (main::on('mx-limit')) {
        @mx_rrs = grep { $_->type eq 'MX' } @mx_rrs;
        $server->throw_result('permerror', $request, 'Too many MX records') if @mx_rrs > 10;
    }
NEW
    ['Mech/MX', <<'OLD', <<'NEW'],
            return TRUE
                if $self->match_in_domain($server, $request, $rr->exchange);
OLD
            next if main::on('null-mx') and $rr->exchange eq '.';
            if ($self->match_in_domain($server, $request, $rr->exchange)) {
                return TRUE if not main::on('mx-all-hosts');
                $is_match = TRUE;
            }
NEW
    ['Mech/MX', <<'OLD', <<'NEW'],
    return FALSE;
}
OLD
    return $is_match;
}
NEW

    # redirect-count, long-domain
    ['Mod/Redirect', <<'OLD', <<'NEW'],
    $server->count_dns_interactive_term($request);

OLD
    $server->count_dns_interactive_term($request) if not main::on('redirect-count');

NEW
    ['Mod/Redirect', <<'OLD', <<'NEW'],
        or return;

OLD
        or return;
    $server->count_dns_interactive_term($request) if main::on('redirect-count');

NEW
    ['Mod/Redirect', <<'OLD', <<'NEW'],
    my $sub_request = $request->new_sub_request(authority_domain => $authority_domain);
OLD
    $authority_domain = main::fitting("$authority_domain") if main::on('long-domain');
    my $sub_request = $request->new_sub_request(authority_domain => $authority_domain);
NEW
    ['Mech/Include', <<'OLD', <<'NEW'],
    my $sub_request = $request->new_sub_request(authority_domain => $authority_domain);
OLD
    $authority_domain = main::fitting("$authority_domain") if main::on('long-domain');
    my $sub_request = $request->new_sub_request(authority_domain => $authority_domain);
NEW

    # ip6-for-ipv4
    ['Mech/IP6', <<'OLD', <<'NEW'],
    return $self->ip_network->contains($request->ip_address_v6);
OLD
    return FALSE if main::on('ip6-for-ipv4') and $request->ip_address->version == 4;
    return $self->ip_network->contains($request->ip_address_v6);
NEW

    # ptr-target, ptr-error
    ['Mech/PTR', <<'OLD', <<'NEW'],
    return
        Mail::SPF::Util->valid_domain_for_ip_address(
OLD
    $self->domain($server, $request) . '' if main::on('ptr-target');
    return eval { Mail::SPF::Util->valid_domain_for_ip_address(
            $server, $request, $request->ip_address, $self->domain($server, $request)) }
        || (ref($@) && !$@->isa('Mail::SPF::EDNSError') ? die($@) : FALSE)
        if main::on('ptr-error');
    return
        Mail::SPF::Util->valid_domain_for_ip_address(
NEW

    # ptr-all-names
    ['Util', <<'OLD', <<'NEW'],
            next if not $accept_any_domain and $match_type == valid_domain_match_none;
OLD
            my $is_other = not($accept_any_domain) && $match_type == valid_domain_match_none;
            next if $is_other and not main::on('ptr-all-names');
NEW
    ['Util', <<'OLD', <<'NEW'],
                return $ptr_domain if not $find_best_match;
OLD
                next if $is_other;
                return $ptr_domain if not $find_best_match and not main::on('ptr-all-names');
NEW
    ['Util', <<'OLD', <<'NEW'],
                return $ptr_domain if $match_type == valid_domain_match_identical;
OLD
                return $ptr_domain if $match_type == valid_domain_match_identical
                    and not main::on('ptr-all-names');
NEW

    # explanation-first
    ['Mod/Exp', <<'OLD', <<'NEW'],
    my ($self, $server, $request, $result) = @_;

    try {
OLD
    my ($self, $server, $request, $result) = @_;
    # The text is not compared, only whether it has an effect on the result.
    return if main::on('explanation-first');

    try {
NEW

    # macro-syntax, reverse-case
    ['Record', <<'OLD', <<'NEW'],
    $self->parse_version_tag();
OLD
    $self->parse_version_tag();
    $self->{parse_text} =~ s/(%\{[a-z]\d*)R/$1r/gi if main::on('reverse-case');
    main::check_macros($_) for main::on('macro-syntax') ? split(/ +/, $self->{parse_text}) : ();
NEW

    # colon
    ['Mech', <<'OLD', <<'NEW'],
    if ($self->{parse_text} =~ s/^ (${\$self->name_pattern}) (?: : (?=.) )? //x) {
        $self->{name} = $1;
OLD
    if ($self->{parse_text} =~ s/^ (${\$self->name_pattern}) ( : (?=.) )? //x) {
        $self->{name} = $1;
        $self->{has_colon} = defined($2);
NEW
    ['Term', <<'OLD', <<'NEW'],
    my ($self, $required) = @_;
    if ($self->{parse_text} =~ s/^(${\$self->domain_spec_pattern})//) {
OLD
    my ($self, $required) = @_;
    if (main::on('colon') and exists($self->{has_colon})) {
        return if not $self->{has_colon} and not $required;
        $required = TRUE;
    }
    if ($self->{parse_text} =~ s/^(${\$self->domain_spec_pattern})//) {
NEW

    # upper-case-macros
    ['Term', <<'OLD', <<'NEW'],
        $domain_spec =~ s/^(.*?)\.?$/\L$1/;
OLD
        main::on('upper-case-macros')
            ? $domain_spec =~ s/\.$//
            : $domain_spec =~ s/^(.*?)\.?$/\L$1/;
NEW

    # delimiters, empty-parts
    ['MacroString', <<'OLD', <<'NEW'],
                if (defined($rh_parts) or defined($reverse)) {
OLD
                if (defined($rh_parts) or defined($reverse)
                    or length($delimiters) && main::on('delimiters')) {
NEW
    ['MacroString', <<'OLD', <<'NEW'],
                    my @list = split(/[\Q$delimiters\E]/, $value);
OLD
                    my @list = split(/[\Q$delimiters\E]/, $value, main::on('empty-parts') ? -1 : 0);
NEW

    # single-label
    ['Server', <<'OLD', <<'NEW'],
    my $domain   = $request->authority_domain;
OLD
    my $domain   = $request->authority_domain;
    throw Mail::SPF::ENoAcceptableRecord('Not a multi-label domain name')
        if main::on('single-label') and "$domain" !~ /\./;
NEW

    # malformed-name
    ['Server', <<'OLD', <<'NEW'],
        $domain =~ s/([^.]{63})[^.]+/$1/g;
OLD
        $domain =~ s/([^.]{63})[^.]+/$1/g if not main::on('malformed-name');
NEW
    ['Server', <<'OLD', <<'NEW'],
    my $packet = $self->dns_resolver->send($domain, $rr_type);
OLD
    $self->{is_malformed} = grep { $_ eq '' or length($_) > 63 } split(/\./, $domain, -1);
    return Net::DNS::Packet->new('name.invalid', $rr_type)
        if $self->{is_malformed} and main::on('malformed-name');
    my $packet = $self->dns_resolver->send($domain, $rr_type);
NEW
    ['Server', <<'OLD', <<'NEW'],
    my $void_dns_lookups_count = ++$request->root_request->state('void_dns_lookups_count');
OLD
    return if $self->{is_malformed} and main::on('malformed-name');
    my $void_dns_lookups_count = ++$request->root_request->state('void_dns_lookups_count');
NEW

    # cname-is-void
    ['Server', <<'OLD', <<'NEW'],
    return $packet;
}
OLD
    return Net::DNS::Packet->new('name.invalid', $rr_type)
        if main::on('cname-is-void') and not grep { $_->type eq $rr_type } $packet->answer;
    return $packet;
}
NEW

    # postmaster
    ['Request', <<'OLD', <<'NEW'],
    # HELO identity:
OLD
    $self->{identity} = $self->{localpart} . '@' . $self->{domain} if main::on('postmaster');
    # HELO identity:
NEW
);

# Perl reads the modules of Mail::SPF through this, with the edits.
unshift(@INC, sub {
    my (undef, $file) = @_;
    my ($module) = $file =~ m{^Mail/SPF/(.*)\.pm$} or return;
    my @edits = grep { $_->[0] eq $module } @EDITS or return;
    my ($path) = grep { -e } map { "$_/$file" } grep { not ref } @INC or return;
    open(my $input, '<', $path) or die "$path: $!\n";
    my $source = do { local $/; <$input> };
    for my $edit (@edits) {
        my (undef, $old, $new) = @$edit;
        my $count = () = $source =~ /\Q$old\E/g;
        die "$count places in $path for this edit:\n$old" if $count != 1;
        $source =~ s/\Q$old\E/$new/;
    }
    open(my $edited, '<', \$source) or die;
    return $edited;
});

package main;

# §7.3: a name of more than 253 characters loses labels on its left.
sub fitting {
    my ($name) = @_;
    while (length($name) > 253) { $name =~ s/^[^.]*\.// or last }
    return $name;
}

# §7.1, §7.2: which macros a term may have.
sub check_macros {
    my ($term) = @_;
    my $letters = $term =~ /^(?!(?:redirect|exp)=)[a-z][\w.-]*=/i ? 'slodiphcrtv' : 'slodiphv';
    while ($term =~ /%(?:%|_|-|\{(.)(\d*)[^}]*\})/g) {
        next if not defined($1);
        throw Mail::SPF::EInvalidMacro("Invalid macro in '$term'")
            if index($letters, lc($1)) < 0 or $2 =~ /^0+$/;
    }
}

1;
