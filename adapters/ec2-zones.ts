import { DescribeAvailabilityZonesCommand, EC2Client } from '@aws-sdk/client-ec2'
import { commandRequests } from './request-limits.ts'
import { requireFields } from './require-fields.ts'

/** An availability zone of a region. */
export interface Zone {
  /** Name in this account, such as `us-east-1a`; another account can have another zone of the same name. */
  readonly name: string
  /** Id, such as `use1-az3`, which is the same in all accounts. */
  readonly id: string
}

/** Lists the zones of the region that the account can use, without local zones, in the order of `Fn::GetAZs`. */
export async function listZones(client = new EC2Client(commandRequests)): Promise<readonly Zone[]> {
  const { AvailabilityZones = [] } = await client.send(
    new DescribeAvailabilityZonesCommand({
      Filters: [
        { Name: 'zone-type', Values: ['availability-zone'] },
        { Name: 'state', Values: ['available'] },
      ],
    }),
  )
  const zones = AvailabilityZones.map((zone) => {
    requireFields(zone, ['ZoneName', 'ZoneId'], 'EC2')
    return { name: zone.ZoneName, id: zone.ZoneId }
  })
  return zones.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
