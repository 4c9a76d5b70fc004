import type { DeployedStack } from '../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { createStackChanges } from '../../adapters/cloudformation/cfn-stack-changes.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { findLosses } from '../../lib/protections/find-losses.ts'
import {
  describeLosses,
  isProtectionKind,
  type Loss,
  type ProtectionKind,
  protectionKinds,
} from '../../lib/protections/losses.ts'
import { describeSettingsChanges } from '../../lib/protections/settings-changes.ts'
import { parseTemplate, readAssembly } from '../../lib/protections/stack-form.ts'
import { judgeStack } from './stack-states.ts'

/** The help of the option that allows a deploy to weaken protections. */
export const allowOption = `
  --allow <list>       protections that this deploy may take away or weaken, separated by commas; without it, a deploy
                       that does is refused:
${Object.entries(protectionKinds)
  .map(([kind, meaning]) => `                         ${kind.padEnd(24)}${meaning}`)
  .join('\n')}`

/**
 * Reads the protections that may be weakened.
 *
 * @param option that takes them, `--allow` or `-c allow`
 * @param text kinds separated by commas
 * @throws UsageError
 */
export function readAllowed(option: string, text: string | undefined): readonly ProtectionKind[] {
  return (text?.split(',') ?? []).map((word) => {
    if (isProtectionKind(word)) return word
    const words = Object.keys(protectionKinds).join(', ')
    throw new UsageError(`${option} takes a list of ${words}, not "${word}"`)
  })
}

/** Differences between what is deployed and what would be. */
export interface Comparison {
  readonly losses: readonly Loss[]
  /** Settings that change, one line each; undefined if the stage was deployed by a version that did not note them. */
  readonly settings: readonly string[] | undefined
}

/** False for a stack that has never been in service, so that there is nothing to compare with. */
export const hasTemplate = (stack: Pick<DeployedStack, 'status'>): boolean =>
  !/^(prepared|never created)$/.test(judgeStack(stack).condition)

/**
 * Compares what would be deployed with what is deployed.
 *
 * @param stacks of the stage
 * @param assembly folder of the synthesised stack
 */
export async function compareWithDeployed(stacks: readonly DeployedStack[], assembly: string): Promise<Comparison> {
  const changes = createStackChanges()
  const deployed = await Promise.all(
    stacks.filter(hasTemplate).map(async ({ name, isProtected, outputs: values }) => {
      return { name, isProtected, values, ...parseTemplate(name, await changes.readTemplate(name)) }
    }),
  )
  const next = readAssembly(assembly)
  const noted = deployed.find(({ settings }) => settings !== undefined)?.settings
  const current = next.find(({ settings }) => settings !== undefined)?.settings
  return {
    losses: findLosses(deployed, next),
    settings: noted === undefined ? undefined : describeSettingsChanges(noted, current),
  }
}

/**
 * Prints the protections that a deploy would take away or weaken, and refuses it unless each is allowed by its name.
 *
 * @param stage names the stage in the error
 * @param allow option that allows losses, to which their names are appended
 * @throws CommandFailed
 */
export function refuseLosses(
  losses: readonly Loss[],
  allowed: readonly ProtectionKind[],
  { stage, allow }: { readonly stage: string; readonly allow: string },
): void {
  if (losses.length === 0) return
  const lines = describeLosses(losses).map((line) => `  ${line}\n`)
  process.stderr.write(`Compared with what is deployed, this takes away or weakens:\n${lines.join('')}`)
  for (const { remedy } of losses) if (remedy !== undefined) process.stderr.write(`  ${remedy}\n`)
  const kinds = [...new Set(losses.map(({ kind }) => kind))]
  if (kinds.every((kind) => allowed.includes(kind))) return
  throw new CommandFailed(
    `nothing was deployed, because ${stage} is weaker than what is deployed: deploy with the settings file of the deployed stage, or allow all of this with ${allow}${kinds.join(',')}`,
  )
}
