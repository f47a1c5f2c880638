/** Preloaded into a measured process: reports CPU time and memory over IPC, on request. */
process.on('message', (requestId) =>
  process.send?.({ requestId, cpu: process.cpuUsage(), memory: process.memoryUsage() }),
)
process.on('disconnect', () => process.exit())
