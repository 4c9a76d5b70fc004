import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded into a measured process: tells its parent the seconds of processor time that all of its threads have used,
 * whenever it is asked, and at its end.
 */
if (isMainThread) {
  const report = () => {
    const { user, system } = process.cpuUsage()
    process.send?.((user + system) / 1e6)
  }
  process.on('message', report)
  process.once('exit', report)
  // The channel must not keep a process alive that has nothing else to do.
  process.channel?.unref()
}
