import type { DeployedStack } from '../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { createStackChanges } from '../../adapters/cloudformation/cfn-stack-changes.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { findLosses } from '../../lib/protections/find-losses.ts'
import { describeLosses, isProtectionKind, type ProtectionKind, protectionKinds } from '../../lib/protections/losses.ts'
import { describeSettingsChanges } from '../../lib/protections/settings-changes.ts'
import { parseTemplate, readAssembly } from '../../lib/protections/stage-template.ts'
import { hasTemplate } from './stack-states.ts'

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

/** The losses that a deploy may cause, and the words of a refusal. */
interface Permission {
  readonly allowed: readonly ProtectionKind[]
  /** Names the stage in the error. */
  readonly stage: string
  /** Option that allows losses, to which their names are appended. */
  readonly allow: string
}

/**
 * Compares what would be deployed with what is deployed. Prints the settings that change and the protections that would
 * be taken away or weakened, and refuses the deploy unless each of these is allowed by its name.
 *
 * @param stacks of the stage
 * @param assembly folder of the synthesised stack
 * @throws CommandFailed
 */
export async function refuseLosses(
  stacks: readonly DeployedStack[],
  assembly: string,
  { allowed, stage, allow }: Permission,
): Promise<void> {
  const changes = createStackChanges()
  const deployed = await Promise.all(
    stacks.filter(hasTemplate).map(async ({ name, isProtected, outputs: values }) => {
      return { name, isProtected, values, ...parseTemplate(name, await changes.readTemplate(name)) }
    }),
  )
  if (deployed.length === 0) return
  const next = readAssembly(assembly)
  const { settings } = deployed.find((stack) => stack.settings !== undefined) ?? {}
  showChanges(settings === undefined ? undefined : describeSettingsChanges(settings, next.settings))
  const losses = findLosses(deployed, next)
  if (losses.length === 0) return
  say(`Compared with what is deployed, this takes away or weakens:\n${indent(describeLosses(losses))}`)
  for (const { remedy } of losses) if (remedy !== undefined) say(indent([remedy]))
  const kinds = [...new Set(losses.map(({ kind }) => kind))]
  if (kinds.every((kind) => allowed.includes(kind))) return
  throw new CommandFailed(
    `nothing was deployed, because ${stage} is weaker than what is deployed: deploy with the settings file of the deployed stage, or allow all of this with ${allow}${kinds.join(',')}`,
  )
}

/** @param changes undefined if the stage was deployed by a version that did not note its settings */
function showChanges(changes: readonly string[] | undefined): void {
  if (changes === undefined) say('note: the stage was deployed by a version that did not note its settings')
  else if (changes.length === 0) say('No setting changes')
  else say(`Settings that change:\n${indent(changes)}`)
}

const say = (text: string) => process.stderr.write(`${text}\n`)
const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`).join('\n')
