import { appendFile } from 'node:fs/promises'
import { Writable } from 'node:stream'

/**
 * A file that takes what functions say. Each piece is appended for itself, so that a disk which was full for a while costs the
 * pieces of that while, and neither an invocation nor the process.
 */
export function openLogFile(path: string): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      appendFile(path, chunk).then(
        () => done(),
        () => done(),
      )
    },
  })
}
