import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimDataFolder, FolderInUse, FolderOutdated, refuseOutdated } from '../../../local/data-folder/data-folder.ts'
import { readProcessLife } from '../../../local/data-folder/process-life.ts'

let folder: string
let claim: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-folder-'))
  claim = join(folder, 'owner-1.pid')
})
/** The process numbers in the claims of the folder. */
const readClaims = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').split(' ')[0])
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/**
 * A process that reports when it is ready, claims each folder it is sent at the time it is sent, reports the outcome, and
 * keeps running.
 */
function startRival() {
  const module = pathToFileURL(join(import.meta.dirname, '../../../local/data-folder/data-folder.ts')).href
  const script = `
    import { createInterface } from 'node:readline'
    import { claimDataFolder } from ${JSON.stringify(module)}
    console.log('ready')
    for await (const line of createInterface(process.stdin)) {
      const { folder, at } = JSON.parse(line)
      while (Date.now() < at);
      try {
        claimDataFolder(folder)
        console.log('mine')
      } catch (error) {
        console.log(error.name)
      }
    }`
  const rival = spawn(process.execPath, ['--input-type=module', '-e', script])
  const lines = createInterface(rival.stdout)[Symbol.asyncIterator]()
  return { rival, next: async () => (await lines.next()).value ?? 'nothing' }
}

describe('a data folder', () => {
  it('is created with its parents for the owner only', () => {
    const nested = join(folder, 'missing', 'too')
    claimDataFolder(nested)()
    const rights = [join(folder, 'missing'), nested].map((each) => statSync(each).mode & 0o777)
    if (process.platform !== 'win32') expect(rights).toEqual([0o700, 0o700])
    else expect(rights).toHaveLength(2)
  })

  it('is created if missing, and names its owner until released', () => {
    const missing = join(folder, 'a/b')
    const giveUp = claimDataFolder(missing)
    expect(readFileSync(join(missing, 'owner-1.pid'), 'utf8')).toMatch(new RegExp(`^${process.pid}( |$)`))
    giveUp()
    expect(existsSync(join(missing, 'owner-1.pid'))).toBe(false)
  })

  it('is refused while its owner lives, in one line that says what to do', async () => {
    const owner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    writeFileSync(claim, String(owner.pid))
    expect(() => claimDataFolder(folder)).toThrow(
      `the data folder ${folder} is in use by process ${owner.pid}; stop it, or choose another folder with --data`,
    )
    expect(readFileSync(claim, 'utf8')).toBe(String(owner.pid))
    const ended = new Promise((resolve) => owner.once('exit', resolve))
    owner.kill('SIGKILL')
    await ended
    claimDataFolder(folder)
    expect(readClaims()).toEqual([String(process.pid)])
  })

  it('has only one owner if six processes claim it at once, even after a killed owner', async () => {
    const { pid: dead } = spawnSync(process.execPath, ['-e', ''])
    const rivals = Array.from({ length: 6 }, () => startRival())
    await Promise.all(rivals.map(({ next }) => next()))
    const owners: number[] = []
    for (let round = 0; round < 20; round++) {
      const contended = join(folder, String(round))
      mkdirSync(contended)
      if (round > 0) writeFileSync(join(contended, 'owner-1.pid'), String(dead))
      const order = JSON.stringify({ folder: contended, at: Date.now() + 20 })
      for (const { rival } of rivals) rival.stdin.write(`${order}\n`)
      const outcomes = await Promise.all(rivals.map(({ next }) => next()))
      owners.push(outcomes.filter((outcome) => outcome === 'mine').length)
      expect(outcomes.every((outcome) => ['mine', 'FolderInUse'].includes(outcome))).toBe(true)
    }
    for (const { rival } of rivals) rival.kill('SIGKILL')
    expect(owners).toEqual(Array(20).fill(1))
  })

  it('is free if its owner was killed and another process now has its number', async () => {
    const { rival, next } = startRival()
    await next()
    rival.stdin.write(`${JSON.stringify({ folder, at: 0 })}\n`)
    expect(await next()).toBe('mine')
    const ended = new Promise((resolve) => rival.once('exit', resolve))
    rival.kill('SIGKILL')
    await ended
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    // As if the system had reused the number.
    writeFileSync(claim, readFileSync(claim, 'utf8').replace(/^\d+/, String(other.pid)))
    claimDataFolder(folder)
    expect(readClaims()).toEqual([String(process.pid)])
    other.kill('SIGKILL')
  })

  describe.skipIf(process.platform !== 'linux')('on Linux', () => {
    it('has only one owner within one process', () => {
      claimDataFolder(folder)
      expect(() => claimDataFolder(folder)).toThrow(FolderInUse)
    })

    it('is free if its owner has ended but was never reaped', async () => {
      // Ends once its parent is a program that never reaps children.
      const child = 'while read -r name < /proc/$$/comm && [ "$name" != sleep ]; do sleep 0.01; done'
      const careless = spawn('sh', ['-c', `(${child}) & echo $!; exec sleep 60`])
      const [pid = ''] = await once(createInterface(careless.stdout), 'line')
      while (readProcessLife(Number(pid)) !== '') await new Promise((resolve) => setTimeout(resolve, 10))
      writeFileSync(claim, pid)
      claimDataFolder(folder)
      expect(readClaims()).toEqual([String(process.pid)])
      careless.kill('SIGKILL')
    })

    it('identifies a process for as long as it lives', () => {
      const lives = [process.pid, process.ppid, 1].map(readProcessLife)
      expect(lives).toEqual([process.pid, process.ppid, 1].map(readProcessLife))
      expect(new Set(lives).size).toBe(3)
    })
  })

  it.each([
    ['a process that ended', () => String(spawnSync(process.execPath, ['-e', '']).pid)],
    ['an earlier run with our number', () => String(process.pid)],
    ['nobody', () => ''],
    ['nonsense', () => 'nonsense'],
    ['a group of processes', () => '-1'],
  ])('is free if the claim names %s', (_, owner) => {
    writeFileSync(claim, owner())
    claimDataFolder(folder)
    expect(readClaims()).toEqual([String(process.pid)])
  })
})

describe('a data folder of an earlier version', () => {
  it('is refused in one line that says what to do', () => {
    mkdirSync(join(folder, 'warehouse', 'negotiated_rates', 'load_id=l1'), { recursive: true })
    expect(() => refuseOutdated(folder)).toThrow(FolderOutdated)
    expect(() => refuseOutdated(folder)).toThrow(`remove that folder and load them again, or use --data`)
  })

  it('can be used again once its rates are removed', () => {
    mkdirSync(join(folder, 'warehouse', 'fee_schedule_sources'), { recursive: true })
    expect(() => refuseOutdated(folder)).not.toThrow()
  })
})
