/** Alerts about what callers get, payments and the store: when each must fire, and when not. */
import {
  type AlertCase,
  checkDurationSeries,
  constantValues,
  FIRST_INSTANCE,
  paymentsSeries,
  requestsSeries,
  risingValues,
  storeCommandDurationSeries,
} from './alert-series.js'

export const SERVICE_ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'MailgradeFailing',
    firing: {
      [requestsSeries('ok')]: risingValues(90),
      [requestsSeries('dns_timeout')]: risingValues(10),
    },
    quiet: {
      [requestsSeries('ok')]: risingValues(60),
      [requestsSeries('unknown_domain')]: risingValues(40),
    },
    firesAtMinute: 6,
  },
  {
    alert: 'MailgradeSlow',
    firing: {
      [checkDurationSeries('2.5')]: risingValues(90),
      [checkDurationSeries('5')]: risingValues(100),
      [checkDurationSeries('+Inf')]: risingValues(100),
    },
    quiet: {
      [checkDurationSeries('1')]: risingValues(100),
      [checkDurationSeries('2.5')]: risingValues(100),
      [checkDurationSeries('+Inf')]: risingValues(100),
    },
    firesAtMinute: 11,
  },
  {
    alert: 'MailgradeOverloaded',
    firing: {
      [requestsSeries('ok')]: risingValues(1000),
      [requestsSeries('overloaded')]: risingValues(1),
    },
    quiet: {
      [requestsSeries('ok')]: risingValues(1000),
      [requestsSeries('overloaded')]: constantValues(7),
    },
    firesAtMinute: 3,
  },
  {
    alert: 'MailgradeBusy',
    firing: {
      [`mailgrade_reports_running{${FIRST_INSTANCE}}`]: '190x60',
      [`mailgrade_reports_limit{${FIRST_INSTANCE}}`]: '200x60',
    },
    quiet: {
      [`mailgrade_reports_running{${FIRST_INSTANCE}}`]: '90x60',
      [`mailgrade_reports_limit{${FIRST_INSTANCE}}`]: '200x60',
    },
    firesAtMinute: 5,
  },
  {
    alert: 'MailgradeManyLimited',
    firing: {
      [requestsSeries('ok')]: risingValues(30),
      [requestsSeries('rate_limited')]: risingValues(60),
    },
    quiet: {
      [requestsSeries('ok')]: risingValues(60),
      [requestsSeries('rate_limited')]: risingValues(30),
    },
    firesAtMinute: 16,
  },
  {
    alert: 'MailgradeFacilitatorUnavailable',
    firing: {
      [paymentsSeries('delivered')]: risingValues(9),
      [paymentsSeries('facilitator_unavailable')]: '0 1 2 3 4x60',
    },
    quiet: {
      [paymentsSeries('delivered')]: risingValues(9),
      [paymentsSeries('facilitator_unavailable')]: '0 0 1x60',
    },
    firesAtMinute: 3,
  },
  {
    alert: 'MailgradeNoPaymentSucceeds',
    firing: {
      [paymentsSeries('wrong_network')]: risingValues(1),
      [paymentsSeries('delivered')]: constantValues(50),
    },
    quiet: {
      [paymentsSeries('wrong_network')]: risingValues(1),
      [paymentsSeries('delivered')]: '0x5 1x100',
    },
    firesAtMinute: 15,
  },
  {
    alert: 'MailgradeNoPaymentSucceeds',
    firing: {
      [paymentsSeries('wrong_payee')]: risingValues(1),
      [paymentsSeries('expired')]: risingValues(1),
    },
    quiet: {
      [paymentsSeries('insufficient_funds')]: risingValues(9),
      [paymentsSeries('expired')]: risingValues(9),
    },
    firesAtMinute: 15,
  },
  {
    alert: 'MailgradeLedgerNearFull',
    firing: { [`mailgrade_ledger_entries{${FIRST_INSTANCE}}`]: '17000x60' },
    quiet: { [`mailgrade_ledger_entries{${FIRST_INSTANCE}}`]: '15000x60' },
    firesAtMinute: 5,
  },
  {
    alert: 'MailgradeLedgerNearFull',
    firing: {
      [`mailgrade_ledger_entries{${FIRST_INSTANCE}}`]: '7000x60',
      [`mailgrade_store_up{${FIRST_INSTANCE}}`]: '1x60',
    },
    quiet: {
      [`mailgrade_ledger_entries{${FIRST_INSTANCE}}`]: '6000x60',
      [`mailgrade_store_up{${FIRST_INSTANCE}}`]: '1x60',
    },
    firesAtMinute: 5,
  },
  {
    alert: 'MailgradeStoreDown',
    firing: { [`mailgrade_store_up{${FIRST_INSTANCE}}`]: '1 0x30' },
    quiet: { [`mailgrade_store_up{${FIRST_INSTANCE}}`]: '1 0 1x30' },
    firesAtMinute: 2,
  },
  {
    alert: 'MailgradeStoreSlow',
    firing: {
      [storeCommandDurationSeries('0.1')]: risingValues(90),
      [storeCommandDurationSeries('1')]: risingValues(100),
      [storeCommandDurationSeries('+Inf')]: risingValues(100),
    },
    quiet: {
      [storeCommandDurationSeries('0.01')]: risingValues(100),
      [storeCommandDurationSeries('1')]: risingValues(100),
      [storeCommandDurationSeries('+Inf')]: risingValues(100),
    },
    firesAtMinute: 11,
  },
]
