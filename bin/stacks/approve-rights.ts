import { createInterface } from 'node:readline/promises'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { CdkFailed, runCdk } from './run-cdk.ts'

/**
 * Shows the rights that a deploy would widen, as the CDK lists them, and asks for approval. Asks nothing if none are.
 *
 * @param assembly folder of the synthesised stack
 * @throws CommandFailed without approval
 */
export async function approveRights(assembly: string): Promise<void> {
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
  if (!isWidened) return
  process.stderr.write(changes)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('Deploy with these rights? (y/n) ')
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new CommandFailed('nothing was deployed, because the rights were not approved')
}
