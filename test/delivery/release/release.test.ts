import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listen, type RunningServer } from '../../../local/http-server.ts'

const changelog = (version: string) =>
  `# Changelog\n\n## ${version} – 2026-11-26\n\n### Upgrading\n\n- Nothing to do.\n`

let folder: string
let github: RunningServer
/** Requests that GitHub got. */
let requests: { readonly call: string; readonly body: unknown; readonly token: string | undefined }[]
/** Answers of GitHub to its GETs by path; others are 404. */
let stored: Map<string, unknown>
/** Path of which GitHub refuses the POST. */
let refused: string | undefined

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
  }).trim()

function commit(version: string): string {
  mkdirSync(join(folder, 'client'), { recursive: true })
  for (const path of ['package.json', 'client/package.json'])
    writeFileSync(join(folder, path), JSON.stringify({ version }, null, 2))
  const packages = { '': { version }, client: { version } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ version, packages }))
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog(version))
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '-m', 'x')
  return git('rev-parse', 'HEAD')
}

/** Runs the command in the folder. @returns its exit code, and everything that it prints */
function run(...args: readonly string[]): Promise<{ readonly exitCode: number; readonly output: string }> {
  const env = {
    ...process.env,
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: 'acme/rates',
    GITHUB_TOKEN: 'token-1',
    GITHUB_OUTPUT: join(folder, '.git/outputs'),
  }
  return new Promise((resolve) => {
    const command = [join(import.meta.dirname, 'release.ts'), ...args]
    const child = execFile(process.execPath, command, { cwd: folder, env }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? 1, output: stdout + stderr }),
    )
  })
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'release-'))
  git('init', '--quiet', '--initial-branch=main')
  requests = []
  stored = new Map()
  refused = undefined
  github = await listen(async (request, response) => {
    const [method, path = ''] = [request.method, request.url?.replace('/repos/acme/rates/', '')]
    const body = await text(request)
    const found = method === 'GET' ? stored.get(path) : {}
    const isRefused = method === 'POST' && path === refused
    if (method === 'POST') requests.push({ call: path, body: JSON.parse(body), token: request.headers.authorization })
    if (isRefused) response.writeHead(403).end('not accessible')
    else response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? {}))
  })
})

afterEach(async () => {
  await github.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the release of a commit', () => {
  it('ignores a commit that leaves the version alone', async () => {
    commit('0.2.0')
    commit('0.2.0')
    expect(await run('--publish')).toEqual({ exitCode: 0, output: 'no release: the version is still 0.2.0\n' })
    expect(requests).toEqual([])
  })

  it('sends GitHub no request while checking, and names the version in the outputs of the step', async () => {
    const before = commit('0.2.0')
    commit('0.3.0')
    expect(await run('--since', before)).toEqual({ exitCode: 0, output: '0.3.0 can be released\n' })
    expect(readFileSync(join(folder, '.git/outputs'), 'utf8')).toBe('version=0.3.0\n')
    expect(requests).toEqual([])
  })

  it('creates a tag and a release with the notes, and starts the deployment of the tag', async () => {
    commit('0.2.0')
    const sha = commit('0.3.0')
    expect(await run('--publish')).toEqual({ exitCode: 0, output: 'v0.3.0 is tagged and will be deployed\n' })
    const token = 'Bearer token-1'
    expect(requests).toEqual([
      { call: 'git/refs', body: { ref: 'refs/tags/v0.3.0', sha }, token },
      {
        call: 'releases',
        body: { tag_name: 'v0.3.0', name: 'v0.3.0', body: '### Upgrading\n\n- Nothing to do.' },
        token,
      },
      { call: 'actions/workflows/release.yml/dispatches', body: { ref: 'v0.3.0' }, token },
    ])
  })

  it('continues after a run that failed halfway', async () => {
    commit('0.2.0')
    const sha = commit('0.3.0')
    refused = 'releases'
    expect(await run('--publish')).toEqual({
      exitCode: 1,
      output: 'error: GitHub answered POST releases with 403: not accessible\n',
    })
    stored.set('git/ref/tags/v0.3.0', { object: { sha } })
    refused = undefined
    requests = []
    expect((await run('--publish')).exitCode).toBe(0)
    expect(requests.map(({ call }) => call)).toEqual(['releases', 'actions/workflows/release.yml/dispatches'])
  })

  it('never moves a tag, whether this clone or only GitHub has it', async () => {
    const sha = commit('0.2.0')
    commit('0.3.0')
    stored.set('git/ref/tags/v0.3.0', { object: { sha } })
    expect(await run('--publish')).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/exists already at another commit/),
    })
    git('tag', 'v0.3.0', sha)
    expect(await run()).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/the tag v0\.3\.0 exists already, at /),
    })
    expect(requests).toEqual([])
  })

  it('refuses a push with later commits, and a clone that lacks the commit before the push', async () => {
    const before = commit('0.2.0')
    commit('0.3.0')
    commit('0.3.0')
    expect(await run('--since', before)).toEqual({
      exitCode: 1,
      output:
        'error: 0.3.0 cannot be released: the commit that changes the version to 0.3.0 must be the last one of a push\n',
    })
    expect(await run('--since', '0'.repeat(40))).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/this clone lacks it/),
    })
  })

  it('stays unchecked in a clone that has only the present commit, unless a commit before the push is named', async () => {
    commit('0.3.0')
    expect(await run()).toEqual({ exitCode: 0, output: expect.stringMatching(/^NOT checked: /) })
    expect(await run('--publish', '--since', 'HEAD^')).toMatchObject({ exitCode: 1 })
    expect(requests).toEqual([])
  })

  it('reads what is committed, and names a file that is missing', async () => {
    commit('0.2.0')
    commit('0.3.0')
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '0.4.0' }))
    expect(await run()).toEqual({ exitCode: 0, output: '0.3.0 can be released\n' })
    git('rm', '--quiet', 'CHANGELOG.md')
    git('commit', '--quiet', '--amend', '-m', 'x')
    expect(await run()).toEqual({ exitCode: 1, output: 'error: the present commit has no CHANGELOG.md\n' })
  })

  it('asks for what a workflow of GitHub sets', async () => {
    commit('0.2.0')
    commit('0.3.0')
    const command = [join(import.meta.dirname, 'release.ts'), '--publish']
    const env = { ...process.env, GITHUB_API_URL: '', GITHUB_OUTPUT: '' }
    expect(() =>
      execFileSync(process.execPath, command, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }),
    ).toThrow('GITHUB_API_URL is not set')
  })
})
