import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { removedCommands } from '../../../bin/command/packaged-service.ts'
import { readText, root } from '../../templates/source-files.ts'

const { scripts } = v.parse(
  v.object({ scripts: v.record(v.string(), v.string()) }),
  JSON.parse(readText('package.json')),
)

/** Runs a command whose work is `main`. */
function run(main: string, environment: Readonly<Record<string, string>> = {}) {
  const module = pathToFileURL(join(import.meta.dirname, '../../../bin/command/run-command.ts')).href
  const script = `import { runCommand } from ${JSON.stringify(module)}; await runCommand('', async () => { ${main} })`
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  })
}

const forever = 'await new Promise((resolve) => setTimeout(resolve, 60_000))'

describe('a command', () => {
  it.each([
    ['its main function', `throw new TypeError('broken\\n  in two lines')`],
    ['a callback', `setImmediate(() => { throw new TypeError('broken') }); ${forever}`],
    ['a promise that is not awaited', `Promise.reject(new TypeError('broken')); ${forever}`],
  ])('prints one line and exits with 1 if it fails in %s', (_, main) => {
    const { status, stderr, stdout } = run(main)
    expect({ status, stderr, stdout }).toEqual({ status: 1, stderr: 'error: TypeError: broken\n', stdout: '' })
  })

  it('says what to check if it cannot connect', () => {
    const { stderr } = run(`throw new Error('connect ECONNREFUSED 127.0.0.1:9')`)
    expect(stderr).toBe(
      'error: connect ECONNREFUSED 127.0.0.1:9: nothing answers there; check the network, the region and AWS_ENDPOINT_URL\n',
    )
  })

  it('without credentials names the profile that it was told, if any', () => {
    const main = `throw new Error('Could not load credentials from any providers')`
    expect(run(main, { AWS_PROFILE: 'nosuch' }).stderr).toBe(
      'error: Could not load credentials from any providers: AWS_PROFILE is "nosuch", which does not exist or has no ' +
        'credentials: aws configure list-profiles shows the names; log in with aws sso login --profile nosuch\n',
    )
    expect(run(main, { AWS_PROFILE: '' }).stderr).toContain('any providers: set AWS_PROFILE, or AWS_ACCESS_KEY_ID')
  })

  it('says that it was stopped by Ctrl-C, unless it ends its work itself', () => {
    const stop = `process.kill(process.pid, 'SIGINT'); ${forever}`
    expect(run(stop)).toMatchObject({ status: 1, stderr: 'error: stopped\n' })
    const own = `process.once('SIGINT', () => { process.stdout.write('ended'); process.exit(0) }); ${stop}`
    expect(run(own)).toMatchObject({ status: 0, stdout: 'ended', stderr: '' })
  })

  it('says how to go on if Ctrl-C leaves something half done, until that is done', () => {
    const module = pathToFileURL(join(import.meta.dirname, '../../../bin/command/run-command.ts')).href
    const explain = `const { explainStop } = await import(${JSON.stringify(module)})
      const explained = explainStop('stopped; run it again for the rest')`
    const stop = `process.kill(process.pid, 'SIGINT'); ${forever}`
    expect(run(`${explain}; ${stop}`)).toMatchObject({
      status: 1,
      stderr: 'error: stopped; run it again for the rest\n',
    })
    expect(run(`${explain}; explained[Symbol.dispose](); ${stop}`)).toMatchObject({ stderr: 'error: stopped\n' })
  })

  it('whose error says everything adds no advice, whatever caused it', () => {
    const module = JSON.stringify(
      pathToFileURL(join(import.meta.dirname, '../../../client/command-line/command-errors.ts')).href,
    )
    const { stderr } = run(`const { CommandFailed } = await import(${module})
      throw new CommandFailed('https://a.example cannot be fetched', { cause: new Error('getaddrinfo ENOTFOUND a.example') })`)
    expect(stderr).toBe('error: https://a.example cannot be fetched\n')
  })

  it('prints the cause of a failure as well', () => {
    const { stderr } = run(`throw new TypeError('not opened', { cause: new Error('locked\\n  by somebody') })`)
    expect(stderr).toBe('error: TypeError: not opened: locked\n')
  })
})

describe('a command of the last release that is gone', () => {
  it.each([...removedCommands])('names its successor and exits with 2: %s', (name, successor) => {
    expect(scripts[name]).toBe(`node bin/removed-command.ts ${name}`)
    const command = ['bin/removed-command.ts', name, '--stage', 'dev']
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' })
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `error: the command "${name}" was removed: ${successor}\n`,
    })
  })
})
