import { readCaller } from '../../adapters/caller.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import type { ProtectionKind } from '../../lib/protections/losses.ts'
import type { Stage } from '../../lib/stage/stage.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { describeFault } from '../command/errors.ts'
import { chooseZones } from './choose-zones.ts'
import { findStacks, guessStageOption } from './deployment.ts'
import { refuseFailedCreation } from './require-deployable.ts'
import { compareWithDeployed, readAllowed, refuseLosses } from './weaker-settings.ts'

/** The context in which the CDK's command synthesises. */
export interface SynthesisContext {
  /** Value of `-c allow=`. */
  readonly allow: string | undefined
  /** Account of the credentials of the CDK's command. */
  readonly account: string
}

/**
 * Makes the comparison of `npm run deploy` for a bare `cdk deploy`: prints the settings that change, and refuses to
 * weaken a protection.
 *
 * @param assembly folder of the synthesised stack
 * @throws CommandFailed
 */
export async function guardSynthesis(stage: string, assembly: string, context: SynthesisContext): Promise<void> {
  const { allow, account } = context
  const allowed = readAllowed('-c allow', allow)
  try {
    await refuseWeakening(stage, assembly, account, allowed)
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw new CommandFailed(`${error.message}\nTo only look at the change with cdk diff, add -c compare=off`)
  }
}

async function refuseWeakening(
  stage: string,
  assembly: string,
  account: string,
  allowed: readonly ProtectionKind[],
): Promise<void> {
  const comparison = await compare(stage, assembly, account)
  if (typeof comparison === 'string') {
    process.stderr.write(`note: the settings were not compared with the deployed stage: ${comparison}\n`)
    return
  }
  const { losses, settings = [] } = comparison
  if (settings.length > 0)
    process.stderr.write(`Settings that change:\n${settings.map((each) => `  ${each}\n`).join('')}`)
  refuseLosses(losses, allowed, { stage: `the stage ${stage}`, allow: '-c allow=' })
}

/**
 * Chooses the zones of a stage's loads for a bare `cdk deploy`, as `npm run deploy` does.
 *
 * @param account of the credentials of the CDK's command
 * @returns undefined if the network has no zones of its own
 * @throws CommandFailed if it is not known where a deployed network is: it would be replaced unnoticed
 */
export async function findZones(stage: Stage, account: string): Promise<readonly string[] | undefined> {
  if (stage.loads === undefined || stage.loads.zones !== undefined) return undefined
  try {
    await requireCaller(account)
    const { zones, notes } = await chooseZones(stage, await findStacks(stage.name))
    for (const note of notes) process.stderr.write(`note: ${note}\n`)
    return zones
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed(
      `the zones of the network of loads cannot be read: ${describeFault(error)}; use npm run deploy, or name them with "zones" of loads in the stage file`,
    )
  }
}

/** @throws PrintableError if the SDK works in another account than the command of the CDK */
async function requireCaller(account: string): Promise<void> {
  const caller = await readCaller()
  if (caller.account !== account)
    throw new PrintableError(
      `the command of the CDK works in the account ${account}, and the settings of the AWS SDK say ${caller.account}`,
    )
}

/** Compares with the deployed stage. Returns the reason if that is impossible, such as a missing right. */
async function compare(stage: string, assembly: string, account: string) {
  try {
    await requireCaller(account)
    const stacks = await findStacks(stage)
    refuseFailedCreation(stacks, guessStageOption(stage))
    return await compareWithDeployed(stacks, assembly)
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    return describeFault(error)
  }
}
