import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { readOptions } from '../../client/command-line/parse-options.ts'
import { runCommand } from '../command/run-command.ts'
import { runCdk } from './run-cdk.ts'

const usage = `
Prints how the resources of a stage differ from those of a commit. It synthesises both, so it needs no account.

Usage: npm run diff -- [<commit>] [--stage <name>]

  <commit>        what to compare with (default HEAD: shows what is not committed)
  --stage <name>  a stage of stages/ (default dev)
  --help          print this
`

const root = join(import.meta.dirname, '../..')
const suffix = '.template.json'

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: { stage: { type: 'string', default: 'dev' } },
  })
  const [commit = 'HEAD', ...others] = positionals
  if (others.length > 0) throw new UsageError('name one commit')
  const folder = mkdtempSync(join(tmpdir(), 'rate-search-diff-'))
  const base = join(folder, 'base')
  try {
    checkOut(commit, base)
    const [before, after] = [join(folder, 'before'), join(folder, 'after')]
    synthesise(base, values.stage, before)
    synthesise(root, values.stage, after)
    for (const stack of listStacks(before, after)) await diffStack(stack, before, after)
  } finally {
    // Prunes the entry that git keeps of the worktree.
    rmSync(folder, { recursive: true, force: true })
    execFileSync('git', ['worktree', 'prune'], { cwd: root })
  }
})

/** Checks a commit out, with this checkout's packages if the commit has the same. */
function checkOut(commit: string, folder: string): void {
  try {
    const options = { cwd: root, stdio: 'pipe', encoding: 'utf8' } as const
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, commit], options)
  } catch {
    throw new CommandFailed(`git cannot check out ${commit}`)
  }
  const [lock, baseLock] = [root, folder].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  if (lock === baseLock) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

function synthesise(checkout: string, stage: string, outdir: string): void {
  const context = JSON.stringify({ stage, compare: 'off' })
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: context, CDK_VALIDATION: 'false' }
  const { status, stderr } = spawnSync(process.execPath, ['bin/app.ts'], { cwd: checkout, env, encoding: 'utf8' })
  if (status !== 0) throw new CommandFailed(`the stage ${stage} cannot be synthesised: ${stderr.trim().split('\n')[0]}`)
}

function listStacks(...assemblies: readonly string[]): readonly string[] {
  const files = assemblies.flatMap((assembly) => readdirSync(assembly)).filter((name) => name.endsWith(suffix))
  return [...new Set(files.map((name) => name.slice(0, -suffix.length)))].sort()
}

async function diffStack(stack: string, before: string, after: string): Promise<void> {
  const [oldTemplate, newTemplate] = [before, after].map((assembly) => join(assembly, stack + suffix))
  if (oldTemplate === undefined || newTemplate === undefined) throw new TypeError('a stack has two templates')
  if (!existsSync(newTemplate)) {
    process.stdout.write(`The stack ${stack} is removed.\n`)
    return
  }
  if (!existsSync(oldTemplate)) writeFileSync(oldTemplate, '{}')
  await runCdk(['diff', stack, '--exclusively', '--app', after, '--template', oldTemplate])
}
