import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOnKeptPort } from '../../../local/data-folder/kept-port.ts'
import { listen } from '../../../local/http-server.ts'
import { startS3 } from '../../../local/s3/server.ts'
import { openCredentialBook } from '../../../local/signing/credentials.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-port-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const startStorage = () =>
  startOnKeptPort(join(folder, 's3.port'), (port) =>
    startS3({ folder: join(folder, 's3'), credentials: openCredentialBook(folder), now: () => new Date(), port }),
  )

describe('restarted storage', () => {
  it('uses its previous port, so that earlier URLs still work', async () => {
    const first = await startStorage()
    await first.close()
    const second = await startStorage()
    await second.close()
    expect(second.url).toBe(first.url)
  })

  it('moves to another port if the previous one is taken, and keeps the new one', async () => {
    const first = await startStorage()
    const second = await startStorage()
    await first.close()
    await second.close()
    expect(second.url).not.toBe(first.url)
    const third = await startStorage()
    await third.close()
    expect(third.url).toBe(second.url)
  })

  it.each(['', 'nonsense', '-1', '70000'])('uses a free port if its port file contains %j', async (kept) => {
    writeFileSync(join(folder, 's3.port'), kept)
    const server = await startOnKeptPort(join(folder, 's3.port'), (port) => listen((_, answer) => answer.end(), port))
    await server.close()
    expect(Number(new URL(server.url).port)).toBeGreaterThan(0)
  })
})
