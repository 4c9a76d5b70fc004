import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'

/** Runs a command whose work is `main`. */
function run(main: string) {
  const module = pathToFileURL(join(import.meta.dirname, '../../../bin/command/run-command.ts')).href
  const script = `import { runCommand } from ${JSON.stringify(module)}; await runCommand('', async () => { ${main} })`
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
}

const forever = 'await new Promise((resolve) => setTimeout(resolve, 60_000))'

describe('a command', () => {
  it.each([
    ['what it was asked for', `throw new TypeError('broken\\n  in two lines')`],
    ['what nobody waited for', `setImmediate(() => { throw new TypeError('broken') }); ${forever}`],
    ['a promise that nobody waited for', `Promise.reject(new TypeError('broken')); ${forever}`],
  ])('that fails in %s ends with one line and 1', (_, main) => {
    const { status, stderr, stdout } = run(main)
    expect({ status, stderr, stdout }).toEqual({ status: 1, stderr: 'error: TypeError: broken\n', stdout: '' })
  })

  it('that fails for a cause says it too', () => {
    const { stderr } = run(`throw new TypeError('not opened', { cause: new Error('locked\\n  by somebody') })`)
    expect(stderr).toBe('error: TypeError: not opened: locked\n')
  })
})
