import { appendFile } from 'node:fs/promises'
import { Writable } from 'node:stream'

/**
 * Appends the output of functions to a file. Each chunk is appended separately, so a full disk loses only the chunks
 * written meanwhile, and fails neither an invocation nor the process.
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
