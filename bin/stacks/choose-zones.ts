import type { DeployedStack } from '../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { createStackChanges } from '../../adapters/cloudformation/cfn-stack-changes.ts'
import { listZones } from '../../adapters/ec2-zones.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { parseTemplate } from '../../lib/protections/stage-template.ts'
import { runsFargate, zoneSources } from '../../lib/stage/fargate-zones.ts'
import type { Stage } from '../../lib/stage/stage.ts'
import { describeFault } from '../command/errors.ts'
import { isFormerStack } from './deployment.ts'
import { hasTemplate } from './stack-states.ts'

/** Most zones that the network of a stage gets by itself: more of them give Spot more places to find capacity. */
const maxZones = 3

/** Number of zones, the first by their names, in which CloudFormation puts a network that names none. */
const unnamedZones = 2

/** Zones for the network of a stage's loads. */
export interface ZoneChoice {
  /** Ids of zones. @default - those that the stage file names, or the first two by their names in the account */
  readonly zones?: readonly string[]
  /** Lines for the operator. */
  readonly notes: readonly string[]
}

/** Reads of the account on which the choice depends. */
export interface ZoneReaders {
  readonly readTemplate: (stackName: string) => Promise<string>
  readonly listZones: typeof listZones
}

/**
 * Chooses the zones of a stage whose file names none: a network that is deployed stays where it is, because other
 * subnets would replace it, and a new one gets up to three zones that run the architecture of its loads.
 *
 * @param stacks of the stage
 * @throws CommandFailed if the region has no such zone
 */
export async function chooseZones(
  { name, loads }: Pick<Stage, 'name' | 'loads'>,
  stacks: readonly DeployedStack[],
  readers: ZoneReaders = { readTemplate: createStackChanges().readTemplate, listZones },
): Promise<ZoneChoice> {
  if (loads === undefined || loads.zones !== undefined) return { notes: [] }
  const deployed = stacks.find((stack) => !isFormerStack(stack) && hasTemplate(stack))
  const network = deployed && readNetwork(deployed.name, await readers.readTemplate(deployed.name))
  if (network?.zones !== undefined) return { zones: network.zones, notes: [] }
  let zones: Awaited<ReturnType<typeof listZones>>
  try {
    zones = await readers.listZones()
  } catch (error) {
    const effect = network === undefined ? 'gets the first two zones of the account' : 'stays in its zones'
    const fault = `${describeFault(error)} (ec2:DescribeAvailabilityZones)`
    return { notes: [`the zones of the region are unknown: ${fault}; the network of loads ${effect}`] }
  }
  const { architecture } = loads
  const isUsable = ({ id }: { readonly id: string }) => runsFargate(id, architecture)
  if (network !== undefined) {
    const unusable = zones.slice(0, unnamedZones).filter((zone) => !isUsable(zone))
    const advice = `may have no Fargate for ${architecture} (${zoneSources}): if workers stay RUNNABLE, set "zones" of loads while no load runs`
    return { notes: unusable.map(({ id }) => `the network of loads is in ${id}, which ${advice}`) }
  }
  const ids = zones.filter(isUsable).map(({ id }) => id)
  if (ids.length === 0) {
    const other = architecture === 'arm64' ? '"architecture": "x86_64" in loads, or ' : ''
    throw new CommandFailed(
      `the stage ${name} cannot run loads here: no zone of the region is known to have Fargate for ${architecture} (${zoneSources}); set ${other}"zones" of loads to those that have it`,
    )
  }
  const chosen = ids.toSorted().slice(0, maxZones)
  return { zones: chosen, notes: [`loads run in the zones ${chosen.join(', ')}`] }
}

/** Reads where the network of a deployed stage is; undefined if it has none. */
function readNetwork(
  stackName: string,
  template: string,
): { readonly zones: readonly string[] | undefined } | undefined {
  const { resources } = parseTemplate(stackName, template)
  const subnets = Object.values(resources).filter(({ Type }) => Type === 'AWS::EC2::Subnet')
  if (subnets.length === 0) return undefined
  const ids = subnets.map(({ Properties }) => Properties['AvailabilityZoneId'])
  return { zones: ids.every((id) => typeof id === 'string') ? ids : undefined }
}
