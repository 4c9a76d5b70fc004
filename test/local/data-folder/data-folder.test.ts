import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderInUse, refuseOutdated } from '../../../local/data-folder/data-folder.ts'
import { startStorage } from '../../../local/storage.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-folder-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (path = folder) => startStorage(path, () => new Date())

/** A process that serves a data folder as soon as it is told to, says what came of it, and keeps running. */
function startRival() {
  const module = pathToFileURL(join(import.meta.dirname, '../../../local/storage.ts')).href
  const script = `
    import { createInterface } from 'node:readline'
    import { startStorage } from ${JSON.stringify(module)}
    console.log('ready')
    for await (const folder of createInterface(process.stdin))
      console.log(await startStorage(folder, () => new Date()).then(() => 'mine', (error) => error.name))`
  const rival = spawn(process.execPath, ['--input-type=module', '-e', script])
  const lines = createInterface(rival.stdout)[Symbol.asyncIterator]()
  return { rival, next: async () => (await lines.next()).value ?? 'nothing' }
}

describe('a data folder', () => {
  it('opens to its owner only, with the parents that are created for it', async () => {
    const nested = join(folder, 'missing', 'too')
    await using _ = await start(nested)
    const rights = [join(folder, 'missing'), nested].map((path) => statSync(path).mode & 0o777)
    if (process.platform !== 'win32') expect(rights).toEqual([0o700, 0o700])
    else expect(rights).toHaveLength(2)
  })

  it('refuses a second service in one line that says what to do, and is free after the first', async () => {
    {
      await using _ = await start()
      await expect(start()).rejects.toThrow(FolderInUse)
      await expect(start()).rejects.toThrow(
        `the data folder ${folder} is in use by another process; stop it, or choose another folder with --data`,
      )
    }
    await using again = await start()
    expect(again.tables).toHaveProperty('Jobs')
  })

  it('lets one of four processes claim it at once, and is free if that process is killed', async () => {
    const rivals = Array.from({ length: 4 }, () => startRival())
    await Promise.all(rivals.map(({ next }) => next()))
    for (const { rival } of rivals) rival.stdin.write(`${folder}\n`)
    const outcomes = await Promise.all(rivals.map(({ next }) => next()))
    expect(outcomes.toSorted()).toEqual(['FolderInUse', 'FolderInUse', 'FolderInUse', 'mine'])
    const ended = rivals.map(({ rival }) => once(rival, 'exit'))
    for (const { rival } of rivals) rival.kill('SIGKILL')
    await Promise.all(ended)
    await using _ = await start()
  })
})

describe('a data folder of an earlier version', () => {
  it('fails to open in one line that says what to do', () => {
    mkdirSync(join(folder, 'warehouse', 'negotiated_rates', 'load_id=l1'), { recursive: true })
    expect(() => refuseOutdated(folder)).toThrow('an earlier version stored the rates')
    expect(() => refuseOutdated(folder)).toThrow(`remove that folder and load them again, or use --data`)
  })

  it('opens again once its rates are removed', () => {
    mkdirSync(join(folder, 'warehouse', 'fee_schedule_sources'), { recursive: true })
    expect(() => refuseOutdated(folder)).not.toThrow()
  })
})
