import type { DeployedStack } from '../../adapters/cfn-deployed-stacks.ts'
import { createStackChanges } from '../../adapters/cfn-stack-changes.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { findLosses } from '../../lib/protections/find-losses.ts'
import { describeLosses, isProtectionKind, type ProtectionKind, protectionKinds } from '../../lib/protections/losses.ts'
import { parseTemplate, readAssembly } from '../../lib/protections/stack-form.ts'
import { judgeStack } from './stack-states.ts'

/** The help of the option that allows a deploy to weaken protections. */
export const allowWeakerOption = `
  --allow-weaker <list>
                       protections that this deploy may take away or weaken, separated by commas; without it, a deploy
                       that does is refused:
${Object.entries(protectionKinds)
  .map(([kind, meaning]) => `                         ${kind.padEnd(24)}${meaning}`)
  .join('\n')}`

/**
 * Reads the protections that may be weakened.
 *
 * @param text kinds separated by commas
 * @throws UsageError
 */
export function readAllowed(text: string | undefined): readonly ProtectionKind[] {
  return (text?.split(',') ?? []).map((word) => {
    if (isProtectionKind(word)) return word
    const words = Object.keys(protectionKinds).join(', ')
    throw new UsageError(`--allow-weaker takes a list of ${words}, not "${word}"`)
  })
}

/**
 * Compares what would be deployed with what is deployed, prints the protections that would be lost, and refuses to lose
 * them unless each is allowed by its name.
 *
 * @param stacks of the stage
 * @param assembly folder of the synthesised stacks
 * @param option names the stage to `deploy`
 * @throws CommandFailed
 */
export async function refuseLosses(
  stacks: readonly DeployedStack[],
  assembly: string,
  allowed: readonly ProtectionKind[],
  option: string,
): Promise<void> {
  const changes = createStackChanges()
  const hasTemplate = (stack: DeployedStack) => !/^(prepared|never created)$/.test(judgeStack(stack).condition)
  const deployed = await Promise.all(
    stacks.filter(hasTemplate).map(async ({ name, isProtected, outputs: values }) => {
      return { name, isProtected, values, ...parseTemplate(name, await changes.readTemplate(name)) }
    }),
  )
  const losses = findLosses(deployed, readAssembly(assembly))
  if (losses.length === 0) return
  const lines = describeLosses(losses).map((line) => `  ${line}\n`)
  process.stderr.write(`Compared with what is deployed, this takes away or weakens:\n${lines.join('')}`)
  for (const { remedy } of losses) if (remedy !== undefined) process.stderr.write(`  ${remedy}\n`)
  const kinds = [...new Set(losses.map(({ kind }) => kind))]
  if (kinds.every((kind) => allowed.includes(kind))) return
  throw new CommandFailed(
    `nothing was deployed, because ${option} is weaker than what is deployed: deploy with the settings file of the deployed stage, or allow all of this with --allow-weaker ${kinds.join(',')}`,
  )
}
