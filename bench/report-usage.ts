/** Loaded beside the service, as it is built: tells over IPC what it has cost so far. */
process.on('message', (question) =>
  process.send?.({ question, cpu: process.cpuUsage(), memory: process.memoryUsage() }),
)
process.on('disconnect', () => process.exit())
