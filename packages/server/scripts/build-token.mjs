/**
 * Compiles the contracts of the sandbox and of tests into JSON beside them, so neither needs a
 * compiler; `scripts/build-data.mjs` makes modules of it. Tests compile them again and compare.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const SERVER = new URL('../', import.meta.url)

/** By the folder of the sources, with the prefix of the constants. */
const FOLDERS = {
  'src/sandbox/token/': {
    'TestUsdc.sol': { TestUsdc: 'TEST_USDC' },
    'TestMulticall.sol': { TestMulticall: 'TEST_MULTICALL' },
  },
  'test/support/contracts/': {
    'TestWallets.sol': {
      HonestWallet: 'HONEST_WALLET',
      GasPriceWallet: 'GAS_PRICE_WALLET',
      GasLeftWallet: 'GAS_LEFT_WALLET',
      CostlyWallet: 'COSTLY_WALLET',
      GasBurningWallet: 'GAS_BURNING_WALLET',
      TestWalletFactory: 'TEST_WALLET_FACTORY',
    },
  },
}

/** Reproducible: no metadata, and a fixed EVM version. */
const SETTINGS = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode.object'] } },
}

/** The deployed bytecode and the ABI of every contract of a folder, by the prefix of its constants. */
export function compileContracts(folder) {
  const files = Object.entries(FOLDERS[folder])
  return Object.assign({}, ...files.map(([file, prefixes]) => compileFile(folder + file, prefixes)))
}

function compileFile(source, prefixes) {
  const content = readFileSync(new URL(source, SERVER), 'utf8')
  const input = { language: 'Solidity', sources: { [source]: { content } }, settings: SETTINGS }
  const { errors = [], contracts: compiled } = JSON.parse(solc.compile(JSON.stringify(input)))
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  return Object.fromEntries(
    Object.entries(prefixes).map(([contract, prefix]) => {
      const { abi, evm } = compiled[source][contract]
      return [
        prefix,
        { code: `0x${evm.deployedBytecode.object}`, abi: abi.map(removeInternalTypes) },
      ]
    }),
  )
}

/** Callers do not need `internalType`, the Solidity name of a type. */
function removeInternalTypes(item) {
  return JSON.parse(
    JSON.stringify(item, (key, value) => (key === 'internalType' ? undefined : value)),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of Object.keys(FOLDERS)) {
    const path = new URL(`${folder}contracts.json`, SERVER)
    writeFileSync(path, `${JSON.stringify(compileContracts(folder), null, 2)}\n`)
  }
}
