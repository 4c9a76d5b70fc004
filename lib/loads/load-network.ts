import type { IVpc } from 'aws-cdk-lib/aws-ec2'
import { GatewayVpcEndpointAwsService, Peer, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Construct } from 'constructs'

/**
 * A network of public subnets without a NAT gateway, which would cost more than the workers. Nothing can connect to a
 * worker. Workers reach S3 and DynamoDB through gateway endpoints, which are free.
 */
export class LoadNetwork extends Construct {
  readonly vpc: IVpc
  readonly securityGroup: SecurityGroup

  constructor(scope: Construct, id: string) {
    super(scope, id)
    const vpc = new Vpc(this, 'Vpc', {
      natGateways: 0,
      // More zones give Spot more places to find capacity. A stack without a fixed region gets two.
      maxAzs: 3,
      subnetConfiguration: [{ name: 'Public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false }],
      gatewayEndpoints: {
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDB: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    })
    // The types of a VPC only differ from `IVpc` in `vpnGatewayId?: string | undefined`.
    this.vpc = vpc as IVpc
    this.securityGroup = new SecurityGroup(this, 'SecurityGroup', {
      vpc: this.vpc,
      description: 'Steps of loads: they call AWS and payers by https, and nobody calls them',
      allowAllOutbound: false,
    })
    this.securityGroup.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'https')
  }
}
