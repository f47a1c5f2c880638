#!/usr/bin/perl
# Mail::SPF as an evaluator of SPF records. With "records": each line of input is a zone, a domain and
# senders; each line of output has the result for each of the senders. A name that depends on the
# sender has a placeholder for a record. With "messages": the same for messages, without placeholders;
# a case may name queries that fail. With "corrected-messages": a case may also name corrections of
# Mail::SPF. Nothing is queried over a network. TXT data is text of one character per octet.
use strict;
use warnings;
use FindBin;
use JSON::PP;

my $mode = shift(@ARGV);
my %corrections;
sub on { $corrections{ $_[0] } }
require "$FindBin::Bin/mail-spf-corrections.pl" if $mode eq 'corrected-messages';

eval { require Mail::SPF; require Net::DNS; 1 }
    or die "Mail::SPF is missing: apt-get install libmail-spf-perl\n$@";

my $json = JSON::PP->new->ascii;
my $server = Mail::SPF::Server->new(dns_resolver => bless({}, 'ZoneResolver'), hostname => 'mx.test');

$| = 1;
while (my $line = <STDIN>) {
    my $case = $json->decode($line);
    ZoneResolver->load($case->{zone}, $case->{failing}, $mode eq 'records');
    my @messages = $mode eq 'records'
        ? map { { %$_, sender => 'someone@' . $case->{domain} } } @{ $case->{senders} }
        : @{ $case->{messages} };
    my @results;
    for my $names (@{ $case->{correctionSets} || [[]] }) {
        %corrections = map { $_ => 1 } @$names;
        push(@results, map { evaluate($_) } @messages);
    }
    print $json->encode(\@results), "\n";
}

sub evaluate {
    my ($message) = @_;
    local $SIG{__WARN__} = sub { };
    my $result = eval {
        $server->process(Mail::SPF::Request->new(
            versions      => [1],
            identity      => $message->{sender},
            ip_address    => $message->{ip},
            helo_identity => $message->{helo},
        ));
    };
    return $result
        ? { result => $result->code, detail => $result->text }
        : { result => 'crash', detail => "$@" };
}

package ZoneResolver;

my (%zone, %failing, %answers, $has_placeholders);

sub load {
    my ($class, $rows, $queries, $is_static) = @_;
    %zone = %$rows;
    %failing = map { $_ => 1 } @{ $queries || [] };
    %answers = ();
    $has_placeholders = $is_static;
}

sub errorstring { '' }

# Most of the time would be spent building the same answers again.
sub send {
    my ($self, $name, $type) = @_;
    return $answers{"$type $name"} ||= answer($name, $type);
}

# Answers as a resolver does: the CNAMEs that were followed, then the records.
sub answer {
    my ($name, $type) = @_;
    my $packet = Net::DNS::Packet->new('name.invalid', $type);
    # What depends on the sender says nothing; a CNAME alone keeps it from being a void lookup.
    if ($has_placeholders && grep { $_ eq '_dyn' } split(/\./, lc($name))) {
        $packet->push(answer => record($type eq 'TXT' ? (TXT => ['v=spf1 ?all']) : (CNAME => 'x.test')));
        return $packet;
    }
    my $at = lc($name);
    if ($failing{"$type $at"}) {
        $packet->header->rcode('SERVFAIL');
        return $packet;
    }
    for (1 .. 20) {
        my @rows = @{ $zone{$at} || [] };
        $packet->header->rcode(exists($zone{$at}) ? 'NOERROR' : 'NXDOMAIN');
        my @found = grep { $_->[0] eq $type } @rows;
        $packet->push(answer => record(@$_)) for @found;
        my ($alias) = grep { $_->[0] eq 'CNAME' } @rows;
        last if @found or not $alias;
        $packet->push(answer => record(@$alias));
        $at = lc($alias->[1]);
    }
    return $packet;
}

sub record {
    my ($type, $data) = @_;
    my @data =
          $type eq 'MX'    ? (preference => $data->[0], exchange => $data->[1])
        : $type eq 'CNAME' ? (cname => $data)
        : $type eq 'PTR'   ? (ptrdname => $data)
        # As octets off the wire, so that Net::DNS reads them as it would any other.
        : $type eq 'TXT'   ? (rdata => join('', map { pack('C/a*', $_) } @$data))
        :                    (address => $data);
    return Net::DNS::RR->new(owner => 'name.invalid', class => 'IN', ttl => 60, type => $type, @data);
}
