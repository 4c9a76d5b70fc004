import { createInterface } from 'node:readline/promises'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { readAssembly } from '../../lib/protections/stage-template.ts'
import { summarizeRights } from '../../lib/protections/summarize-rights.ts'
import { CdkFailed, runCdk } from './run-cdk.ts'

/**
 * Shows the rights that a deploy would widen, and asks for approval: a summary if it is the first deploy, and the CDK's
 * list if not. Asks nothing if none are.
 *
 * @param assembly folder of the synthesised stack
 * @param command shows what the CDK lists
 * @throws CommandFailed without approval
 */
export async function approveRights(assembly: string, isFirst: boolean, command: string): Promise<void> {
  const rights = isFirst
    ? `${[...summarizeRights(readAssembly(assembly)), `All of it: ${command}`].join('\n')}\n`
    : await listWidened(assembly)
  if (rights === undefined) return
  process.stderr.write(rights)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('Deploy with these rights? (y/n) ')
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new CommandFailed('nothing was deployed, because the rights were not approved')
}

/** @returns the changes as the CDK lists them; undefined if no right is widened */
async function listWidened(assembly: string): Promise<string | undefined> {
  let changes = ''
  const diff = ['diff', '--app', assembly, '--security-only', '--fail']
  const isWidened = await runCdk(diff, (text) => {
    changes += text
  }).then(
    () => false,
    (error: unknown) => {
      // The CDK ends with 1 if rights are widened, and also if it fails.
      if (error instanceof CdkFailed && error.code === 1 && /^(IAM|Security Group) .*Changes/m.test(changes))
        return true
      process.stderr.write(changes)
      throw error
    },
  )
  return isWidened ? changes : undefined
}
