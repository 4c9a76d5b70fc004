import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createDeployedStacks } from '../adapters/cfn-deployed-stacks.ts'
import { stages } from '../lib/stage.ts'
import { CommandFailed, UsageError } from './command.ts'

/** What deploying, destroying and managing keys share: the stage, its stacks, and the CDK's own command. */

/** The stacks of a stage, in the order in which they are made. */
export const stackNames = (stage: string) => [`Warehouse-${stage}`, `SearchService-${stage}`]

/** Reads the name of a stage that this checkout has. */
export function readStageName(text: string): string {
  if (Object.hasOwn(stages, text)) return text
  throw new UsageError(`--stage must be one of ${Object.keys(stages).join(', ')}, not "${text}"`)
}

type StackName = 'SearchService' | 'Warehouse'
type Outputs = Readonly<Record<string, string>>

/** The outputs of one of a stage's stacks; undefined if it is not deployed. */
export function findOutputs(stage: string, stack: StackName = 'SearchService'): Promise<Outputs | undefined> {
  return createDeployedStacks().readOutputs(`${stack}-${stage}`)
}

/**
 * The outputs of one of a stage's stacks.
 *
 * @throws CommandFailed if it is not deployed
 */
export async function readOutputs(stage: string, stack: StackName = 'SearchService'): Promise<Outputs> {
  const outputs = await findOutputs(stage, stack)
  if (outputs === undefined)
    throw new CommandFailed(`the stage ${stage} is not deployed here: npm run deploy -- --stage ${stage}`)
  return outputs
}

/** Fails with what to type where the CDK has not been prepared in this account and region. */
export async function requireBootstrap(): Promise<void> {
  if ((await createDeployedStacks().readOutputs('CDKToolkit')) !== undefined) return
  throw new CommandFailed('the CDK is not prepared in this account and region: run "npx cdk bootstrap" once')
}

/**
 * Runs the CDK's command.
 *
 * @param output `shown` as it comes, or `on failure` alone
 */
export async function runCdk(args: readonly string[], output: 'shown' | 'on failure' = 'shown'): Promise<void> {
  const root = join(import.meta.dirname, '..')
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk')
  const child = spawn(process.execPath, [cdk, ...args], { cwd: root, stdio: output === 'shown' ? 'inherit' : 'pipe' })
  const kept: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => kept.push(chunk))
  const [code] = await once(child, 'close')
  if (code === 0) return
  process.stderr.write(Buffer.concat(kept))
  throw new CommandFailed(`cdk ${args[0]} ended with exit code ${code}`)
}
