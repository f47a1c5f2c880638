"""pyspf with corrections: small edits of its source that make it follow RFC 7208.

Each edit is behind `on('<name>')`, so a case can turn on any set of corrections. The names are those
in evaluator-deviations.ts, which also quotes the RFC. An edit that no longer fits the source is an
error, so a new version of pyspf does not go unnoticed.
"""
import types

EDITS = [
    # modifier-case
    ("            mod,arg = m\n",
     "            mod,arg = m\n"
     "            if on('modifier-case'): mod = mod.lower()\n"),

    # modifier-twice
    ("            if mod in modifiers:\n",
     "            if mod in modifiers and (mod in ('redirect', 'exp') or not on('modifier-twice')):\n"),

    # modifier-macros
    ("                self.expand(m[1])       # syntax",
     "                self.expand(m[1], stripdot=not on('modifier-macros'))       # syntax"),

    # redirect-count, early-expansion
    ("                self.check_lookups()\n"
     "                redirect = self.expand_domain(arg)\n",
     "                if not on('redirect-count'): self.check_lookups()\n"
     "                redirect = self.expand_domain(arg)\n"
     "                redirect_spec = arg\n"),
    ("            if redirect:\n"
     "                #Catch redirect",
     "            if redirect:\n"
     "                if on('redirect-count'): self.check_lookups()\n"
     "                if on('early-expansion'): redirect = self.expand_domain(redirect_spec)\n"
     "                #Catch redirect"),

    # early-expansion
    ("        for mech in spf:\n"
     "            m = RE_MODIFIER.split(mech)[1:]\n",
     "        exp_spec = None\n"
     "        known_p, self.is_parsing = self.p, True\n"
     "        for mech in spf:\n"
     "            if on('control-characters') and re.search(r'[\\x00-\\x1f\\x7f]', mech):\n"
     "                raise PermError('control character', mech)\n"
     "            m = RE_MODIFIER.split(mech)[1:]\n"),
    ("        # Evaluate mechanisms\n",
     "        self.is_parsing = False\n"
     "        if on('early-expansion'): self.p = known_p\n"
     "        # Evaluate mechanisms\n"),
    ("        for mech, m, arg, cidrlength, result in mechs:\n",
     "        for mech, m, arg, cidrlength, result in mechs:\n"
     "            if on('early-expansion'):\n"
     "                mech, m, arg, cidrlength, result = self.validate_mechanism(mech)\n"),
    ("                if arg:\n"
     "                    try:\n"
     "                        exp = self.get_explanation(arg)\n",
     "                exp_spec = m[1]\n"
     "                if arg and not on('early-expansion'):\n"
     "                    try:\n"
     "                        exp = self.get_explanation(arg)\n"),
    ("        if result == 'fail':\n"
     "            return (result, 550, exps[result])\n",
     "        if result == 'fail' and exp_spec and not recursion and on('early-expansion'):\n"
     "            voids, self.void_lookups = self.void_lookups, -1000\n"
     "            try:\n"
     "                exp = self.get_explanation(self.expand_domain(exp_spec))\n"
     "                if exp: self.set_explanation(exp)\n"
     "            except (PermError, TempError): pass\n"
     "            self.void_lookups = voids\n"
     "        if result == 'fail':\n"
     "            return (result, 550, exps[result])\n"),

    # early-expansion, p-domain, p-case
    ("        if not self.p:\n"
     "            p = self.validated_ptrs()\n",
     "        if self.is_parsing and on('early-expansion'):\n"
     "            self.p = 'unknown'\n"
     "        elif not self.p or on('p-domain'):\n"
     "            p = self.validated_ptrs()\n"),
    ("            elif self.d in p:\n",
     "            elif (self.d.lower() if on('p-case') else self.d) in p:\n"),
    ("                sfx = '.' + self.d\n",
     "                sfx = '.' + (self.d.lower() if on('p-case') else self.d)\n"),

    # include-self
    ("                if arg == self.d:\n",
     "                if arg == self.d and (':' not in mech or not on('include-self')):\n"),

    # exists-host
    ("        if str == 'exists': d = None\n",
     "        if str == 'exists' or (on('exists-host') and str.lstrip('+?~-') == 'exists'): d = None\n"),

    # bare-domain
    ("            arg = self.expand_domain(arg)\n"
     "            if not arg:\n"
     "                raise PermError('empty domain:',mech)\n",
     "            if ':' in mech or not on('bare-domain'):\n"
     "                arg = self.expand_domain(arg)\n"
     "            if not arg:\n"
     "                raise PermError('empty domain:',mech)\n"),

    # zero-parts
    ("    if not delimiters:\n"
     "        delimiters = '.'\n",
     "    if on('zero-parts') and ln and int(ln) == 0:\n"
     "        raise PermError('no parts')\n"
     "    if not delimiters:\n"
     "        delimiters = '.'\n"),

    # macro-syntax
    ("        # Check for invalid macro syntax\n",
     "        if on('macro-syntax'):\n"
     "            valid = r'%\\{[slodiphcrtv][0-9]*r?[.\\-+,/_=]*\\}|%[%_-]'\n"
     "            if '%' in re.sub(valid, '', s, flags=re.IGNORECASE):\n"
     "                raise PermError('invalid macro', s)\n"
     "        # Check for invalid macro syntax\n"),

    # percent-at-end
    ("                if regex.search(s):\n",
     "                if regex.search(s.replace('%%', '') if on('percent-at-end') else s):\n"),

    # reverse-case
    ("RE_ARGS.split(str)[1:4]",
     "RE_ARGS.split(str.lower() if on('reverse-case') else str)[1:4]"),

    # joined-with-dots
    ("    expansion = split(expansion, delimiters, joiner)\n",
     "    expansion = split(expansion, delimiters, '.' if on('joined-with-dots') else joiner)\n"),

    # long-name, long-explanation
    ("            if len(result) > 253:\n"
     "                result = result[(result.index('.')+1):]\n",
     "            while len(result) > 253 and '.' in result and (stripdot or not on('long-explanation')):\n"
     "                result = result[(result.index('.')+1):]\n"
     "                if not on('long-name'): break\n"),

    # postmaster
    ("        self.t = str(int(time.time()))\n",
     "        self.t = str(int(time.time()))\n"
     "        if on('postmaster'): self.s = self.l + '@' + self.o\n"),

    # ptr-error
    ("        return [p for p in self.dns_ptr(self.i)[:max]\n"
     "            if self.cidrmatch(self.dns_a(p,self.A),cidrlength)]\n",
     "        if not on('ptr-error'):\n"
     "            return [p for p in self.dns_ptr(self.i)[:max]\n"
     "                if self.cidrmatch(self.dns_a(p,self.A),cidrlength)]\n"
     "        try:\n"
     "            names = self.dns_ptr(self.i)[:max]\n"
     "        except TempError:\n"
     "            return []\n"
     "        valid = []\n"
     "        for p in names:\n"
     "            try:\n"
     "                if self.cidrmatch(self.dns_a(p,self.A),cidrlength): valid.append(p)\n"
     "            except TempError:\n"
     "                pass\n"
     "        return valid\n"),

    # single-label
    ("        for label in domain.split('.'):\n",
     "        if '.' not in domain and on('single-label'):\n"
     "            return None\n"
     "        for label in domain.split('.'):\n"),

    # explanation-characters
    ("                if len(a) == 1:\n"
     "                    return str(self.expand(",
     "                if on('explanation-characters') and any(re.search(br'[\\x00-\\x1f\\x7f]', t) for t in a):\n"
     "                    return None\n"
     "                if len(a) == 1:\n"
     "                    return str(self.expand("),
]


def load(path, on):
    """The module at this path with all edits; `on` says whether a correction applies."""
    with open(path, encoding='utf-8') as file:
        source = file.read()
    for old, new in EDITS:
        if source.count(old) != 1:
            raise SystemExit('%d places in %s for this edit:\n%s' % (source.count(old), path, old))
        source = source.replace(old, new)
    module = types.ModuleType('corrected_spf')
    module.on = on
    exec(compile(source, path, 'exec'), module.__dict__)
    module.query.is_parsing = False
    return module
