import { isMainThread } from 'node:worker_threads'

/** Imported first by a worker: it ends when it is told what its piece needs from the others. */
if (isMainThread && process.send !== undefined)
  process.on('message', (message) => {
    if (JSON.stringify(message).includes('"kind":"references"')) process.exit(3)
  })
