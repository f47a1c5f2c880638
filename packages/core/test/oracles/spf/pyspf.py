"""pyspf as a judge of SPF records.

With "judge": each line of input is a zone, a domain and senders; each line of output says how mail
of that domain from each of the senders fares. With "suite": prints the cases of the openspf test
suite for RFC 7208, which comes with pyspf, one to a line.

TXT data is text of one character per octet. Nothing is asked of any network.
"""
import gzip
import json
import sys

try:
    import spf
except ImportError as error:
    sys.exit('pyspf is missing (%s): apt-get install python3-spf' % error)

SUITE = '/usr/share/doc/python3-spf/rfc7208-tests.yml.gz'
MAX_CNAMES = 20

# A name with this label stands for one that depends on the sender. No static check can know what
# is there, so it is answered with a record that says nothing, and is no void lookup.
DYNAMIC = '_dyn'

zone = {}


def is_dynamic(name):
    return DYNAMIC in name.lower().split('.')


def lookup(name, qtype, strict=True, timeout=None):
    """Answers as pyspf's adapter for dnspython does: CNAMEs followed, and not shown."""
    if is_dynamic(name):
        return [((name, qtype), [b'v=spf1 ?all'])] if qtype == 'TXT' else []
    at = name
    for _ in range(MAX_CNAMES):
        records = zone.get(at.lower(), [])
        found = [data for rtype, data in records if rtype == qtype]
        if found:
            return [((name, qtype), shaped(qtype, data)) for data in found]
        at = next((data for rtype, data in records if rtype == 'CNAME'), None)
        if at is None:
            return []
    raise spf.TempError('CNAME loop')


def shaped(qtype, data):
    if qtype == 'TXT':
        return [text.encode('latin-1') for text in data]
    return tuple(data) if qtype == 'MX' else data


spf.DNSLookup = lookup


class Query(spf.query):
    """Also notes whether a term matched the sender, which ends the reading of a record early."""

    matched = False

    def cidrmatch(self, addresses, length):
        found = super().cidrmatch(addresses, length)
        self.matched = self.matched or found
        return found

    def validated_ptrs(self):
        before = self.matched
        names = super().validated_ptrs()
        self.matched = before
        return names

    def validate_mechanism(self, mech):
        parsed = super().validate_mechanism(mech)
        if parsed[1] == 'exists' and lookup(parsed[2], 'A'):
            self.matched = True
        return parsed

    def check1(self, text, domain, recursion):
        outcome = super().check1(text, domain, recursion)
        if recursion > 0 and outcome[0] == 'pass':
            self.matched = True
        return outcome

    def dns(self, name, qtype, cnames=None, ignore_void=False):
        return super().dns(name, qtype, cnames, ignore_void or is_dynamic(name))


def judge(sender, domain):
    # strict=True is what RFC 7208 says; False goes on after an error, 2 warns of what is legal.
    query = Query(i=sender['ip'], s='someone@' + domain, h=sender['helo'], strict=True)
    try:
        result, _, detail = query.check()
    except Exception as error:
        result, detail = 'crash', repr(error)
    return {
        'result': result,
        'detail': detail,
        'matched': query.matched,
        'lookups': query.lookups,
        'voidLookups': query.void_lookups,
    }


def judge_lines():
    global zone
    for line in sys.stdin:
        case = json.loads(line)
        zone = case['zone']
        print(json.dumps([judge(sender, case['domain']) for sender in case['senders']]))


TYPES = ('A', 'AAAA', 'CNAME', 'MX', 'PTR', 'SPF', 'TXT')


def rows_of(entries):
    """The records of a name in the suite, and the types that time out there."""
    rows, timeouts = [], set()
    # Where a name has no TXT, its records of the retired type stand for both; "NONE" is none.
    has_txt = any('TXT' in entry for entry in entries if entry != 'TIMEOUT')
    for entry in entries:
        if entry == 'TIMEOUT':
            timeouts.update(set(TYPES) - {rtype for rtype, _ in rows})
            continue
        for rtype, data in entry.items():
            if data == 'TIMEOUT':
                timeouts.add(rtype)
            elif rtype in ('TXT', 'SPF') and data != 'NONE':
                # No record has no strings at all, so the nearest thing to that is an empty one.
                strings = [data] if isinstance(data, str) else data or ['']
                rows += [[each, strings] for each in ([rtype] if has_txt else ['SPF', 'TXT'])]
            elif data != 'NONE':
                rows.append([rtype, data])
    return rows, sorted(timeouts)


def print_suite():
    try:
        import yaml
    except ImportError as error:
        sys.exit('PyYAML is missing (%s): apt-get install python3-yaml' % error)
    try:
        source = gzip.open(SUITE)
    except OSError as error:
        sys.exit('the suite is missing (%s): apt-get install python3-spf, with its /usr/share/doc'
                 % error)
    for scenario in yaml.safe_load_all(source):
        read = {name.lower(): rows_of(entries) for name, entries in scenario['zonedata'].items()}
        for name, case in scenario['tests'].items():
            result = case['result']
            print(json.dumps({
                'name': name,
                'helo': case['helo'],
                'ip': case['host'],
                'mailFrom': case['mailfrom'],
                'results': [result] if isinstance(result, str) else result,
                # "DEFAULT" is the receiver's own text, so the domain gives none.
                'explanation': None if case.get('explanation') == 'DEFAULT' else case.get('explanation'),
                'checksExplanation': 'explanation' in case,
                'zone': {owner: rows for owner, (rows, _) in read.items()},
                'timeouts': {owner: types for owner, (_, types) in read.items()},
            }))


if __name__ == '__main__':
    print_suite() if sys.argv[1:] == ['suite'] else judge_lines()
