import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../run-command-line.ts'

const diff = (...args: readonly string[]) => runCommandLine('stacks/diff-templates', args)

describe('npm run diff', () => {
  it('names a commit that git does not know', async () => {
    expect(await diff('no-such-commit')).toEqual({
      output: '',
      errors: 'error: git cannot check out no-such-commit\n',
      exitCode: 1,
    })
  })

  it('names a stage that does not exist', async () => {
    const { errors, exitCode } = await diff('HEAD', '--stage', 'nowhere')
    expect(errors).toMatch(/^error: .*there is no stage "nowhere"; stages\/ has dev, /)
    expect(exitCode).toBe(1)
  })

  it('refuses two commits', async () => {
    expect(await diff('HEAD', 'HEAD')).toMatchObject({ errors: 'error: name one commit (see --help)\n', exitCode: 2 })
  })
})
