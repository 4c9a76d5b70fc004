import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'

const program = `
  import { onStopSignal } from '${join(import.meta.dirname, '../../../bin/command/run-command.ts')}'
  onStopSignal((signal) => console.log(signal))
  setInterval(() => {}, 1000)
  console.log('ready')
`

it.each([
  ['SIGINT', 'SIGTERM', 143],
  ['SIGTERM', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 143],
] as const)('stops in order at %s, and at once at a second signal, %s', async (first, second, exitCode) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  child.kill(first)
  expect((await lines.next()).value).toBe(first)
  child.kill(second)
  expect(await exit).toEqual([exitCode, null])
})
