import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimDataFolder } from '../../local/data-folder.ts'

let folder: string
let claim: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-folder-'))
  claim = join(folder, 'owner.pid')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A process that says when it is ready, claims the folder when its input ends, says what came of it, and lives on. */
function startRival(dataFolder: string) {
  const module = pathToFileURL(join(import.meta.dirname, '../../local/data-folder.ts')).href
  const script = `
    import { claimDataFolder } from ${JSON.stringify(module)}
    console.log('ready')
    for await (const _ of process.stdin);
    try {
      claimDataFolder(${JSON.stringify(dataFolder)})
      console.log('mine')
    } catch (error) {
      console.log(error.name)
    }
    setInterval(() => {}, 1000)`
  const rival = spawn(process.execPath, ['--input-type=module', '-e', script])
  const lines = createInterface(rival.stdout)[Symbol.asyncIterator]()
  return { rival, next: async () => (await lines.next()).value ?? 'nothing' }
}

describe('a data folder', () => {
  it('is made where it is missing, and carries its owner until it is given up', () => {
    const missing = join(folder, 'a/b')
    const giveUp = claimDataFolder(missing)
    expect(readFileSync(join(missing, 'owner.pid'), 'utf8')).toBe(String(process.pid))
    giveUp()
    expect(existsSync(join(missing, 'owner.pid'))).toBe(false)
  })

  it('is refused for as long as its owner lives, in one line that says what to do', async () => {
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
    expect(readFileSync(claim, 'utf8')).toBe(String(process.pid))
  })

  it('has one owner where six processes claim it at once', async () => {
    const rivals = Array.from({ length: 6 }, () => startRival(folder))
    await Promise.all(rivals.map(({ next }) => next()))
    for (const { rival } of rivals) rival.stdin.end()
    const outcomes = await Promise.all(rivals.map(({ next }) => next()))
    for (const { rival } of rivals) rival.kill('SIGKILL')
    expect(outcomes.toSorted()).toEqual([...Array(5).fill('FolderInUse'), 'mine'])
  })

  it.each([
    ['a process that ended', () => String(spawnSync(process.execPath, ['-e', '']).pid)],
    ['a former life of ours', () => String(process.pid)],
    ['nobody', () => ''],
    ['nonsense', () => 'nonsense'],
    ['a group of processes', () => '-1'],
  ])('is free where the claim is that of %s', (_, owner) => {
    writeFileSync(claim, owner())
    claimDataFolder(folder)
    expect(readFileSync(claim, 'utf8')).toBe(String(process.pid))
  })
})
