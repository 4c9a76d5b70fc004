import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { relative, resolve } from 'node:path'
import { createVitest } from 'vitest/node'
import { runCommand } from '../../bin/command/run-command.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { flags, readOptions } from '../../client/command-line/parse-options.ts'
import { listPaths, readSources, root } from '../templates/source-files.ts'
import { chooseTests, filesIn, type TestFile } from './choose-tests.ts'

const usage = `
Runs the tests near a change: every test file that reaches a changed file by imports, or names it, and every test that
reads files by their paths. Tests in the folder of a change come first, slow ones last, and the first failure of a part
ends the run. Says which suites it leaves out.

Usage: npm run test:near -- [--fast] [--list] [<file or folder>…]

  <file or folder>  the change; without one, every file that differs from the branch main, committed or not
  --fast            leave out the slow tests (resilience) and those in a browser (page), and name them
  --list            print the test files instead of running them
  --help            print this

Exit code: 0 if all tests passed, 1 if one failed, 2 for wrong arguments.
`

const print = (line: string) => {
  process.stdout.write(`${line}\n`)
}

const abridge = (paths: readonly string[]) =>
  paths.length > 5 ? `${paths.slice(0, 5).join(', ')}, …` : paths.join(', ')

/** @throws UsageError for a path that is not of this project */
function filesBelow(argument: string, paths: readonly string[]): readonly string[] {
  const path = relative(root, resolve(argument)).replaceAll('\\', '/')
  const files = filesIn(path, paths)
  if (files.length === 0) throw new UsageError(`there is no file or folder "${argument}" in this project`)
  return files
}

/** Returns the files that differ from where this branch left main: committed, not committed, and not added yet. */
function readChangedFiles(): readonly string[] {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '')
  const [base = 'HEAD'] =
    git('rev-parse', '--verify', '--quiet', 'main').length > 0 ? git('merge-base', 'main', 'HEAD') : []
  return [
    ...new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]),
  ].sort()
}

/** Returns every test file of vitest.config.ts. */
async function listTests(): Promise<readonly TestFile[]> {
  const vitest = await createVitest('test', { watch: false, root })
  try {
    const specifications = await vitest.globTestSpecifications()
    return specifications.map(({ moduleId, project }) => ({
      path: relative(root, moduleId).replaceAll('\\', '/'),
      project: project.name,
      setups: [project.config.globalSetup].flat().map((setup) => relative(root, setup).replaceAll('\\', '/')),
    }))
  } finally {
    await vitest.close()
  }
}

async function runTests(tests: readonly TestFile[]): Promise<void> {
  if (tests.length === 0) return
  const projects = [...new Set(tests.map(({ project }) => `--project=${project}`))]
  const files = tests.map(({ path }) => path)
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...files], {
    cwd: root,
    stdio: 'inherit',
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new CommandFailed('tests near the change failed')
}

function describeLeftOut(tests: readonly TestFile[]): void {
  if (tests.length > 0) print('Not run, although the change may break them:')
  for (const [project, { length }] of Map.groupBy(tests, (test) => test.project))
    print(`  ${length} test files of ${project}`)
  print(
    'Before a pull request: npm test, after changes to the page npm run test:page, to storage npm run test:resilience.',
  )
  print('Suites of other commands: test:trino, test:contract, test:clients, test:assistants, test:integration.')
}

await runCommand(usage, async (args) => {
  const { values, positionals } = readOptions({
    args: [...args],
    allowPositionals: true,
    options: flags('fast', 'list'),
  })
  const paths = listPaths()
  const changed = positionals.length > 0 ? positionals.flatMap((path) => filesBelow(path, paths)) : readChangedFiles()
  if (changed.length === 0) return print('Nothing differs from main: name the files or folders that you mean.')

  const choice = chooseTests(changed, readSources(), new Set(paths), await listTests())
  const late = values.fast ? [] : choice.late
  const leftOut = values.fast ? [...choice.late, ...choice.leftOut] : choice.leftOut
  print(`${changed.length} changed: ${abridge(changed)}`)
  if (choice.everythingFor)
    print(`Every test that is not slow runs: imports do not show which ones reach ${choice.everythingFor}.`)
  print(
    `Test files: ${choice.first.length} beside it, then ${choice.soon.length} others, then ${late.length} slow ones.`,
  )
  const parts = [choice.first, choice.soon, late]
  if (values.list) for (const { project, path } of parts.flat()) print(`${project}  ${path}`)
  else for (const tests of parts) await runTests(tests)
  describeLeftOut(leftOut)
})
