/** The service as its operators run it, and over IPC a word on what it has cost so far. */
import '../src/main.js'

process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => process.exit())
