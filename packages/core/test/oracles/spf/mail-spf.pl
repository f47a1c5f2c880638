#!/usr/bin/perl
# Mail::SPF as a judge of SPF records: each line of input is a zone, a domain and senders; each line
# of output says how mail of that domain from each of the senders fares. Nothing is asked of any
# network. TXT data is text of one character per octet.
use strict;
use warnings;
use JSON::PP;

eval { require Mail::SPF; require Net::DNS; 1 }
    or die "Mail::SPF is missing: apt-get install libmail-spf-perl\n$@";

my $json = JSON::PP->new->ascii;
my $server = Mail::SPF::Server->new(dns_resolver => bless({}, 'ZoneResolver'), hostname => 'mx.test');

$| = 1;
while (my $line = <STDIN>) {
    my $case = $json->decode($line);
    ZoneResolver->load($case->{zone});
    print $json->encode([map { judge($_, $case->{domain}) } @{ $case->{senders} }]), "\n";
}

sub judge {
    my ($sender, $domain) = @_;
    local $SIG{__WARN__} = sub { };
    my $result = eval {
        $server->process(Mail::SPF::Request->new(
            versions      => [1],
            identity      => 'someone@' . $domain,
            ip_address    => $sender->{ip},
            helo_identity => $sender->{helo},
        ));
    };
    return $result
        ? { result => $result->code, detail => $result->text }
        : { result => 'crash', detail => "$@" };
}

package ZoneResolver;

my %zone;

sub load {
    my ($class, $rows) = @_;
    %zone = %$rows;
}

sub errorstring { '' }

# Answers as a resolver does: the CNAMEs that were followed, then the records.
sub send {
    my ($self, $name, $type) = @_;
    my $packet = Net::DNS::Packet->new('name.invalid', $type);
    # What depends on the sender says nothing; a CNAME alone keeps it from being a void lookup.
    if (grep { $_ eq '_dyn' } split(/\./, lc($name))) {
        $packet->push(answer => record($type eq 'TXT' ? (TXT => ['v=spf1 ?all']) : (CNAME => 'x.test')));
        return $packet;
    }
    my $at = lc($name);
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
