/** Alerts about what callers get, payments and the store: when each must fire, and when not. */
import {
  type AlertStory,
  checks,
  commands,
  ONE,
  payments,
  requests,
  rising,
  steady,
} from './alert-series.js'

export const SERVICE_ALERTS: readonly AlertStory[] = [
  {
    alert: 'MailgradeFailing',
    fires: { [requests('ok')]: rising(90), [requests('dns_timeout')]: rising(10) },
    quiet: { [requests('ok')]: rising(60), [requests('unknown_domain')]: rising(40) },
    from: 6,
  },
  {
    alert: 'MailgradeSlow',
    fires: {
      [checks('2.5')]: rising(90),
      [checks('5')]: rising(100),
      [checks('+Inf')]: rising(100),
    },
    quiet: {
      [checks('1')]: rising(100),
      [checks('2.5')]: rising(100),
      [checks('+Inf')]: rising(100),
    },
    from: 11,
  },
  {
    alert: 'MailgradeOverloaded',
    fires: { [requests('ok')]: rising(1000), [requests('overloaded')]: rising(1) },
    quiet: { [requests('ok')]: rising(1000), [requests('overloaded')]: steady(7) },
    from: 3,
  },
  {
    alert: 'MailgradeBusy',
    fires: {
      [`mailgrade_reports_running{${ONE}}`]: '190x60',
      [`mailgrade_reports_limit{${ONE}}`]: '200x60',
    },
    quiet: {
      [`mailgrade_reports_running{${ONE}}`]: '90x60',
      [`mailgrade_reports_limit{${ONE}}`]: '200x60',
    },
    from: 5,
  },
  {
    alert: 'MailgradeManyLimited',
    fires: { [requests('ok')]: rising(30), [requests('rate_limited')]: rising(60) },
    quiet: { [requests('ok')]: rising(60), [requests('rate_limited')]: rising(30) },
    from: 16,
  },
  {
    alert: 'MailgradeFacilitatorUnavailable',
    fires: { [payments('sold')]: rising(9), [payments('facilitator_unavailable')]: '0 1 2 3 4x60' },
    quiet: { [payments('sold')]: rising(9), [payments('facilitator_unavailable')]: '0 0 1x60' },
    from: 3,
  },
  {
    alert: 'MailgradeNoSales',
    fires: { [payments('wrong_network')]: rising(1), [payments('sold')]: steady(50) },
    quiet: { [payments('wrong_network')]: rising(1), [payments('sold')]: '0x5 1x100' },
    from: 15,
  },
  {
    alert: 'MailgradeNoSales',
    fires: { [payments('wrong_payee')]: rising(1), [payments('expired')]: rising(1) },
    quiet: { [payments('insufficient_funds')]: rising(9), [payments('expired')]: rising(9) },
    from: 15,
  },
  {
    alert: 'MailgradeLedgerNearFull',
    fires: { [`mailgrade_ledger_entries{${ONE}}`]: '17000x60' },
    quiet: { [`mailgrade_ledger_entries{${ONE}}`]: '15000x60' },
    from: 5,
  },
  {
    alert: 'MailgradeLedgerNearFull',
    fires: {
      [`mailgrade_ledger_entries{${ONE}}`]: '7000x60',
      [`mailgrade_store_up{${ONE}}`]: '1x60',
    },
    quiet: {
      [`mailgrade_ledger_entries{${ONE}}`]: '6000x60',
      [`mailgrade_store_up{${ONE}}`]: '1x60',
    },
    from: 5,
  },
  {
    alert: 'MailgradeStoreDown',
    fires: { [`mailgrade_store_up{${ONE}}`]: '1 0x30' },
    quiet: { [`mailgrade_store_up{${ONE}}`]: '1 0 1x30' },
    from: 2,
  },
  {
    alert: 'MailgradeStoreSlow',
    fires: {
      [commands('0.1')]: rising(90),
      [commands('1')]: rising(100),
      [commands('+Inf')]: rising(100),
    },
    quiet: {
      [commands('0.01')]: rising(100),
      [commands('1')]: rising(100),
      [commands('+Inf')]: rising(100),
    },
    from: 11,
  },
]
