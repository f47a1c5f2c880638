/** Preloaded into an instance: its wall clock is wrong by as many milliseconds as a file says. */
import { readFileSync } from 'node:fs'

const READ_EVERY_MS = 20
const { now } = Date
let shiftMs = 0

function read() {
  shiftMs = Number(readFileSync(process.env.CLOCK_SHIFT_FILE, 'utf8'))
}

read()
setInterval(read, READ_EVERY_MS).unref()
Date.now = () => now() + shiftMs
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget),
})
