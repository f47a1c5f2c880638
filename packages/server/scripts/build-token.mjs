/**
 * Compiles the contracts of the sandbox and of tests into *.ts files beside them, so neither needs a
 * compiler. Tests compile them again and compare.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const SERVER = new URL('../', import.meta.url)

const SOURCES = [
  {
    source: 'src/sandbox/token/TestUsdc.sol',
    file: 'src/sandbox/token/test-usdc.ts',
    contracts: [{ contract: 'TestUsdc', prefix: 'TEST_USDC', hasAbi: true }],
  },
  {
    source: 'src/sandbox/token/TestMulticall.sol',
    file: 'src/sandbox/token/test-multicall.ts',
    contracts: [{ contract: 'TestMulticall', prefix: 'TEST_MULTICALL', hasAbi: false }],
  },
  {
    source: 'test/support/TestWallets.sol',
    file: 'test/support/test-wallets.ts',
    contracts: [
      { contract: 'HonestWallet', prefix: 'HONEST_WALLET', hasAbi: true },
      { contract: 'GasPriceWallet', prefix: 'GAS_PRICE_WALLET', hasAbi: false },
      { contract: 'GasLeftWallet', prefix: 'GAS_LEFT_WALLET', hasAbi: false },
      { contract: 'CostlyWallet', prefix: 'COSTLY_WALLET', hasAbi: false },
      { contract: 'GasBurningWallet', prefix: 'GAS_BURNING_WALLET', hasAbi: false },
      { contract: 'TestWalletFactory', prefix: 'TEST_WALLET_FACTORY', hasAbi: true },
    ],
  },
]

/** Reproducible: no metadata, and a fixed EVM version. */
const SETTINGS = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode.object'] } },
}

/** Returns the deployed bytecode and the ABI. */
export function compileContract(contract) {
  const hasContract = ({ contracts }) => contracts.some((entry) => entry.contract === contract)
  return compileOnce(SOURCES.find(hasContract))[contract]
}

const compiledSources = new Map()

/** Compiling takes seconds. */
function compileOnce(entry) {
  const compiled = compiledSources.get(entry) ?? compileSource(entry)
  compiledSources.set(entry, compiled)
  return compiled
}

/** All contracts of a file, by name. */
function compileSource({ source, contracts }) {
  const content = readFileSync(new URL(source, SERVER), 'utf8')
  const input = { language: 'Solidity', sources: { [source]: { content } }, settings: SETTINGS }
  const { errors = [], contracts: compiled } = JSON.parse(solc.compile(JSON.stringify(input)))
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  return Object.fromEntries(
    contracts.map(({ contract }) => {
      const { abi, evm } = compiled[source][contract]
      const code = `0x${evm.deployedBytecode.object}`
      return [contract, { code, abi: abi.map(removeInternalTypes) }]
    }),
  )
}

/** Callers do not need `internalType`, the Solidity name of a type. */
function removeInternalTypes(item) {
  return JSON.parse(
    JSON.stringify(item, (key, value) => (key === 'internalType' ? undefined : value)),
  )
}

function sourceText(entry) {
  const compiled = compileOnce(entry)
  return [
    `/** Generated from ${basename(entry.source)} with \`npm run token\`. */`,
    "import type { Hex } from 'viem'",
    '',
    ...entry.contracts.flatMap((it) => contractText(it, compiled[it.contract])),
  ].join('\n')
}

function contractText({ prefix, hasAbi }, { code, abi }) {
  const lines = code.match(/.{1,92}/g).map((line) => `'${line}',`)
  return [
    '/** The deployed bytecode. */',
    `export const ${prefix}_CODE = [`,
    ...lines,
    "].join('') as Hex",
    '',
    ...(hasAbi ? [`export const ${prefix}_ABI = ${JSON.stringify(abi)} as const`, ''] : []),
  ]
}

function writeAll() {
  const paths = SOURCES.map((entry) => {
    const path = fileURLToPath(new URL(entry.file, SERVER))
    writeFileSync(path, sourceText(entry))
    return path
  })
  const biome = fileURLToPath(new URL('../../../node_modules/.bin/biome', import.meta.url))
  execFileSync(biome, ['check', '--write', ...paths], { stdio: 'inherit' })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeAll()
