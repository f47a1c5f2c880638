// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A contract wallet (EIP-1271) with one owner, whose signature check an attacker may choose.
abstract contract TestWallet {
    enum Mode {
        ByKind,
        Honest,
        Rejecting
    }

    bytes4 private constant ACCEPTED = this.isValidSignature.selector;

    /// Both in the first storage slot, so a test can place a wallet without a constructor.
    address private owner;
    Mode private mode;

    function setMode(Mode next) external {
        require(msg.sender == owner, "not the owner");
        mode = next;
    }

    /// Calls another contract as the wallet.
    function execute(address target, bytes calldata data) external {
        require(msg.sender == owner, "not the owner");
        (bool success,) = target.call(data);
        require(success, "the call failed");
    }

    /// The signature is longer than that of a key, as in real wallets: the owner's index comes first.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (mode == Mode.ByKind) beforeCheck();
        return mode != Mode.Rejecting && isByOwner(digest, signature) ? ACCEPTED : bytes4(0xffffffff);
    }

    function beforeCheck() internal view virtual;

    function setOwner(address first) internal {
        owner = first;
    }

    function isByOwner(bytes32 digest, bytes calldata signature) private view returns (bool) {
        (uint256 index, bytes memory content) = abi.decode(signature, (uint256, bytes));
        if (index != 0 || content.length != 65) return false;
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(content, 0x20))
            s := mload(add(content, 0x40))
            v := byte(0, mload(add(content, 0x60)))
        }
        address signer = ecrecover(digest, v, r, s);
        return signer != address(0) && signer == owner;
    }

    /// A precompiled contract that rejects its input uses up all the gas that it is given.
    function burn(uint256 amount) internal view {
        uint256 start = gasleft();
        assembly {
            pop(staticcall(amount, 8, 0, 1, 0, 0))
        }
        require(start - gasleft() >= amount, "not enough gas to burn");
    }
}

contract HonestWallet is TestWallet {
    constructor(address first) {
        setOwner(first);
    }

    function beforeCheck() internal view override {}
}

/// Valid in a call, which has no gas price by default. In a transaction it returns so much data that
/// the token runs out of gas, and the revert has no reason.
contract GasPriceWallet is TestWallet {
    function beforeCheck() internal view override {
        if (tx.gasprice == 0) return;
        // Memory costs a gas for each word and 1/512 for its square.
        uint256 words = squareRoot(gasleft() * 256);
        assembly {
            return(0, mul(words, 32))
        }
    }

    function squareRoot(uint256 value) private pure returns (uint256 root) {
        root = value;
        for (uint256 next = value / 2; next < root; next = (root + value / root) / 2) root = next;
    }
}

/// Valid with a lot of gas, as in a call, and with just enough, as estimated. Invalid with a fifth more.
contract GasLeftWallet is TestWallet {
    uint256 private constant BURNED = 150_000;
    uint256 private constant A_LOT = 320_000;
    /// In the middle between the gas left with the estimate and with a fifth more.
    uint256 private constant LIMIT = 230_000;

    function beforeCheck() internal view override {
        uint256 available = gasleft();
        burn(BURNED);
        // In this order a call with a lot of gas costs more, so what it costs is enough for the other.
        require(available < LIMIT || available > A_LOT, "invalid");
    }
}

/// Valid, but with a margin it costs more gas than a payment of a dollar is worth.
contract CostlyWallet is TestWallet {
    function beforeCheck() internal view override {
        burn(1_300_000);
    }
}

/// Valid, but costs more gas than a check may take.
contract GasBurningWallet is TestWallet {
    function beforeCheck() internal view override {
        burn(12_000_000);
    }
}

/// Deploys an honest wallet to an address that is known before (ERC-6492).
contract TestWalletFactory {
    function deploy(address owner, bytes32 salt) external returns (address wallet) {
        bytes32 code = keccak256(abi.encodePacked(type(HonestWallet).creationCode, abi.encode(owner)));
        wallet = address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
        if (wallet.code.length == 0) new HonestWallet{salt: salt}(owner);
    }
}
