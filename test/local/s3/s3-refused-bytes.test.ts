import { pbkdf2 } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { writeBytes } from '../../../local/s3/object-store.ts'

/** Occupies all four threads of Node's pool, so that opening a file now is delayed. */
const occupyThreads = () =>
  Promise.all(Array.from({ length: 8 }, () => promisify(pbkdf2)('a', 'b', 20_000, 64, 'sha512')))

it('writing an object leaves no file if its body is refused before the file is open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'refused-bytes-'))
  const path = join(folder, 'part')
  async function* refused(): AsyncGenerator<Buffer> {
    yield Buffer.from('bytes')
    throw new Error('BadDigest')
  }
  try {
    const threads = occupyThreads()
    await expect(writeBytes(refused(), path)).rejects.toThrow('BadDigest')
    rmSync(path, { force: true })
    // Anything still waiting for a thread finishes before this.
    await threads
    await stat(folder)
    expect(existsSync(path)).toBe(false)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
